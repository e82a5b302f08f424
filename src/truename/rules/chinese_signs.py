"""Names that are both written in Chinese signs, or in Japanese ones: compared by their signs, not by how they sound.

王芳 and 汪芳 are two people, and WANG FANG both of them. A sign in its traditional form (張) is the same as in its
simplified one (张).
"""

import re
import unicodedata
from typing import Final

_SIGNS_ALONE: Final = re.compile(r"[\u3005\u3007\u3041-\u30ff\u3400-\u9fff\uf900-\ufaff\s·・]+")
_PAIRS: Final = (
    "張张 劉刘 陳陈 楊杨 黃黄 趙赵 吳吴 孫孙 馬马 羅罗 鄭郑 謝谢 許许 韓韩 馮冯 鄧邓 蕭萧 葉叶 蘇苏 呂吕 "
    "盧卢 鍾钟 鐘钟 譚谭 陸陆 範范 賈贾 鄒邹 閻阎 閆闫 龍龙 萬万 錢钱 湯汤 賀贺 龔龚 嚴严 顧顾 蔣蒋 餘余 "
    "於于 莊庄 齊齐 畢毕 喬乔 賴赖 聶聂 蘭兰 魯鲁 歐欧 單单 項项 塗涂 駱骆 華华 儲储 諸诸 東东 鞏巩 寧宁 "
    "車车 遲迟 紀纪 費费 藺蔺 連连 鮑鲍 繆缪 衛卫 韋韦 陽阳 溫温 鄔邬 應应 師师 習习 麥麦 壽寿 時时 榮荣 "
    "豐丰 強强 慶庆 國国 偉伟 傑杰 麗丽 靜静 濤涛 軍军 艷艳 豔艳 紅红 鳳凤 輝辉 飛飞 鵬鹏 興兴 貴贵 寶宝 "
    "寳宝 銀银 銘铭 鋒锋 鋼钢 鐵铁 錦锦 鈺钰 鎮镇 鏡镜 鑒鉴 鑑鉴 學学 義义 禮礼 達达 遠远 運运 選选 邊边 "
    "還还 進进 適适 過过 聖圣 聰聪 聯联 職职 賢贤 貞贞 賓宾 資资 贊赞 質质 賽赛 維维 綱纲 緒绪 綺绮 緯纬 "
    "縱纵 繼继 續续 經经 級级 純纯 紹绍 終终 結结 絲丝 統统 綠绿 練练 線线 縣县 總总 織织 繡绣 繪绘 紋纹 "
    "紗纱 約约 納纳 紛纷 細细 給给 絡络 絢绚 絨绒 緣缘 縉缙 縈萦 瑩莹 瑪玛 瑤瑶 瓊琼 璦瑷 璣玑 環环 現现 "
    "瑋玮 璉琏 瓏珑 穎颖 額额 顏颜 願愿 頌颂 順顺 頤颐 顯显 頓顿 領领 類类 韻韵 響响 頁页 風风 飄飘 騰腾 "
    "騏骐 驍骁 駿骏 馳驰 驥骥 騎骑 驚惊 驛驿 鴻鸿 鳴鸣 鶴鹤 鷹鹰 鵑鹃 鸞鸾 鶯莺 鯉鲤 鯤鲲 鱗鳞 齡龄 點点 "
    "黨党 龜龟 業业 樂乐 樹树 橋桥 機机 樓楼 標标 權权 極极 構构 櫻樱 欄栏 楓枫 歡欢 歲岁 歷历 曆历 氣气 "
    "漢汉 澤泽 濱滨 瀟潇 瀾澜 灝灏 潔洁 淵渊 渙涣 滿满 漁渔 漣涟 瀅滢 濟济 潤润 澗涧 濃浓 灣湾 燦灿 煒炜 "
    "煥焕 熒荧 燁烨 燈灯 熱热 爾尔 獎奖 獨独 獻献 畫画 異异 當当 發发 監监 盤盘 眾众 衆众 碩硕 確确 禎祯 "
    "禪禅 種种 稱称 穩稳 積积 穀谷 窮穷 競竞 筆笔 節节 築筑 簡简 簫箫 籌筹 糧粮 肅肃 臨临 舉举 艦舰 藝艺 "
    "蓮莲 蔭荫 薈荟 薔蔷 蘊蕴 藍蓝 藥药 蓋盖 萊莱 蒼苍 蕓芸 蘆芦 蘋苹 蟬蝉 術术 補补 裝装 見见 規规 視视 "
    "親亲 覺觉 觀观 計计 訓训 記记 設设 評评 詠咏 詩诗 誠诚 誌志 語语 說说 課课 誼谊 調调 談谈 請请 諾诺 "
    "謀谋 謙谦 講讲 謹谨 譽誉 議议 譯译 護护 讀读 變变 讓让 貝贝 財财 貢贡 責责 貫贯 賜赐 賦赋 贏赢 躍跃 "
    "軒轩 載载 輔辅 輕轻 輪轮 轉转 農农 遜逊 邁迈 鄉乡 醫医 釋释 鈞钧 鈴铃 鉅钜 銳锐 錄录 錫锡 鍵键 鎧铠 "
    "長长 門门 閃闪 閎闳 開开 間间 閔闵 閣阁 閩闽 閱阅 關关 際际 隨随 隱隐 雋隽 雙双 離离 難难 雲云 電电 "
    "霧雾 靈灵 靚靓 韜韬 頻频 養养 驕骄 體体 魚鱼 鳥鸟 亞亚 個个 倫伦 備备 傳传 僑侨 億亿 儀仪 優优 兒儿 "
    "兩两 凱凯 劃划 創创 劍剑 動动 務务 勝胜 勞劳 勢势 勳勋 勛勋 勵励 勸劝 匯汇 區区 協协 參参 叢丛 啟启 "
    "啓启 喚唤 問问 嘯啸 園园 圓圆 團团 圖图 執执 堅坚 報报 場场 壇坛 壯壮 夢梦 奧奥 奮奋 婦妇 媽妈 嫻娴 "
    "嬌娇 嬋婵 實实 寬宽 審审 寫写 寵宠 將将 專专 尋寻 對对 導导 層层 嶺岭 嶽岳 巒峦 島岛 崗岗 嵐岚 帥帅 "
    "帶带 幹干 廠厂 廣广 廬庐 廳厅 彈弹 彌弥 彎弯 後后 徑径 從从 復复 徹彻 悅悦 愛爱 愜惬 態态 慮虑 憲宪 "
    "憶忆 懷怀 戀恋 戰战 戲戏 揚扬 換换 揮挥 搖摇 摯挚 撫抚 擇择 擁拥 擔担 攝摄 敵敌 數数 齋斋 斷断 晉晋 "
    "晝昼 曉晓 曄晔 暉晖 暢畅 曠旷 書书 會会 條条 來来 棟栋 楨桢 萇苌 蕢蒉 鄺邝 鄲郸 郟郏 酈郦 龐庞 竇窦 "
    "籃篮 閭闾 侶侣 縵缦 緹缇 綽绰 綸纶 綾绫 緋绯 緗缃 繽缤 璽玺 瓔璎 瑯琅 鑾銮 鑰钥 銓铨 錚铮 鋮铖 鈦钛 "
    "鉑铂 鎔镕 鏗铿 鏘锵 韞韫 譜谱 讚赞 諄谆 詮诠 詢询 誦诵 諭谕 謐谧 譞谖 贇赟 貽贻 賾赜 軻轲 轅辕 輿舆 "
    "轍辙 邇迩 遙遥 闊阔 闕阙 闌阑 闡阐 隴陇 陝陕 霽霁 靄霭 頎颀 頊顼 顥颢 颺飏 馭驭 駒驹 駐驻 駙驸 驊骅 "
    "騁骋 驤骧 鯨鲸 鰲鳌 鳶鸢 鴛鸳 鴦鸯 鵝鹅 鷺鹭 鸚鹦 黌黉 龕龛 "
    "別别 號号 碼码 證证 編编 簽签"
)
"""Traditional and simplified forms of signs that names and labels have."""
_SIMPLIFIED: Final = str.maketrans({pair[0]: pair[1] for pair in _PAIRS.split()} | {"·": " ", "・": " "})


def simplified(text: str) -> str:
    """The same with each sign of the table in its simplified form."""
    return unicodedata.normalize("NFKC", text).translate(_SIMPLIFIED)


def in_signs(name: str) -> tuple[str, ...] | None:
    """The words of a name in simplified signs; None where it has any other letter, or none at all."""
    if not _SIGNS_ALONE.fullmatch(name):
        return None
    return tuple(simplified(name).split()) or None

"""Invents photographs and scans of documents, a batch at a time, on whatever device the tensors live on.

No picture of anything real is used: cards and pages, tables and hands are noise, waves, boxes and blobs.
"""

import math

import torch
import torch.nn.functional as F
from torch import Tensor

SIDE = 320
_TALL, _WIDE = 200, 300


class Scenes:
    """Makes batches of scenes with the document's mask and border."""

    def __init__(self, device: torch.device, seed: int) -> None:
        self.device = device
        self.chance = torch.Generator(device=device).manual_seed(seed)
        y, x = torch.meshgrid(
            torch.arange(SIDE, device=device) + 0.5, torch.arange(SIDE, device=device) + 0.5, indexing="ij"
        )
        self.x, self.y = x[None], y[None]
        v, u = torch.meshgrid(
            torch.linspace(0, 1, _TALL, device=device), torch.linspace(0, 1, _WIDE, device=device), indexing="ij"
        )
        self.u, self.v = u[None, None], v[None, None]

    def uniform(self, low: float, high: float, *shape: int) -> Tensor:
        return torch.rand(*shape, generator=self.chance, device=self.device) * (high - low) + low

    def normal(self, *shape: int) -> Tensor:
        return torch.randn(*shape, generator=self.chance, device=self.device)

    def coin(self, chance: float, *shape: int) -> Tensor:
        return (torch.rand(*shape, generator=self.chance, device=self.device) < chance).float()

    def batch(self, size: int) -> tuple[Tensor, Tensor]:
        """Pictures (size × 3 × 320 × 320, −1 to 1) and marks (size × 2 × 160 × 160: document, border)."""
        scan = self.coin(0.4, size, 1, 1, 1)
        present = self.coin(0.94, size, 1, 1)
        quads, aspect = self._quads(size, scan[:, 0, 0, 0])
        inside, distance, u, v = self._place(quads, aspect)
        inside = inside * present
        ground = self._ground(size, scan)
        page = self._page(size)
        # White on white and other near misses: some pages take the ground's own colour, nearly.
        near = (self.coin(0.22, size, 1, 1, 1) + scan * self.coin(0.2, size, 1, 1, 1)).clamp(0, 1)
        tint = ground.mean((2, 3), keepdim=True) + self.normal(size, 3, 1, 1) * 0.04
        page = page * (1 - near) + near * (page * 0.35 + 0.65 * tint + (page - page.mean((2, 3), keepdim=True)) * 0.5)
        lost = self._lost(size)
        page = page * (1 - lost) + lost * (tint + self.normal(size, 3, 1, 1) * 0.02)
        grid = torch.stack([u * 2 - 1, v * 2 - 1], -1)
        paper = F.grid_sample(page, grid, mode="bilinear", padding_mode="border", align_corners=False)
        # A page of the same booklet beyond the fold.
        second = self.coin(0.12, size, 1, 1) * present * ((v < 0) & (v > -1) & (u > 0) & (u < 1)).float()
        beyond = paper.mean((2, 3), keepdim=True) + 0.1 * self.normal(size, 3, 1, 1) + 0.05 * self._noise(size, 1, 40)
        fold = 1 - 0.4 * torch.exp(-((v * 60) ** 2)) * second
        ground = ground * (1 - second[:, None]) + beyond * second[:, None] * fold[:, None]
        shaded = ground * (1 - self._shadow(distance, size) * present[:, None])
        rim = (
            torch.exp(-((distance / self.uniform(0.6, 1.6, size, 1, 1)) ** 2))
            * self.uniform(-0.5, 0.35, size, 1, 1)
            * self.coin(0.5, size, 1, 1)
        )
        alpha = inside[:, None]
        scene = shaded * (1 - alpha) + (paper + 0.0) * alpha + rim[:, None] * present[:, None] * 0.5
        scene = self._hands(scene, quads, size, present)
        border = torch.exp(-((distance / 2.2) ** 2)) * present
        marks = torch.stack([inside, border], 1)
        marks = F.avg_pool2d(marks, 2)
        return self._photograph(scene, scan) * 2 - 1, marks

    # ── geometry ───────────────────────────────────────────────────────────────────────────────────────────

    def _quads(self, size: int, scan: Tensor) -> tuple[Tensor, Tensor]:
        """Corners (size × 4 × 2, in pixels) and the document's aspect."""
        aspect = torch.where(self.coin(0.6, size) > 0, self.uniform(1.5, 1.66, size), self.uniform(1.2, 1.55, size))
        angle = self.normal(size) * 0.12 + torch.floor(self.uniform(0, 4, size)) * math.pi / 2
        angle = torch.where(self.coin(0.35, size) > 0, self.uniform(0, 2 * math.pi, size), angle)
        level = self.coin(0.5, size) * scan
        angle = angle * (1 - level) + level * self.normal(size) * 0.02
        half = torch.stack([aspect, torch.ones_like(aspect)], 1) / 2
        signs = torch.tensor([[-1.0, -1], [1, -1], [1, 1], [-1, 1]], device=self.device)
        corners = signs[None] * half[:, None]
        tilt = (1 - scan)[:, None, None] * self.uniform(0, 1, size, 1, 1)
        corners = corners + self.normal(size, 4, 2) * (0.06 * tilt + 0.004)
        cos, sin = torch.cos(angle), torch.sin(angle)
        turn = torch.stack([torch.stack([cos, -sin], 1), torch.stack([sin, cos], 1)], 1)
        corners = corners @ turn.transpose(1, 2)
        squeeze = torch.exp(self.uniform(-0.08, 0.08, size))
        corners = corners * torch.stack([squeeze, 1 / squeeze], 1)[:, None]
        reach = (corners.amax(1) - corners.amin(1)).amax(1)
        least = 0.36 + 0.3 * scan
        scale = SIDE * least ** self.uniform(0.01, 1, size) / reach
        scale = torch.where(self.coin(0.12, size) > 0, scale * self.uniform(1.0, 1.25, size), scale)
        corners = corners * scale[:, None, None]
        spare = (SIDE - (corners.amax(1) - corners.amin(1))).clamp(min=10) / 2
        shift = (self.uniform(-1, 1, size, 2)) * spare * 1.02
        middle = (corners.amax(1) + corners.amin(1)) / 2
        return corners - middle[:, None] + SIDE / 2 + shift[:, None], aspect

    def _place(self, quads: Tensor, aspect: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Coverage, distance to the outline in pixels, and the document's own coordinates of every pixel."""
        size = len(quads)
        unit = torch.tensor([[0.0, 0], [1, 0], [1, 1], [0, 1]], device=self.device).expand(size, 4, 2)
        solved = _homography(quads, unit)
        x, y = self.x.expand(size, -1, -1), self.y.expand(size, -1, -1)

        def part(row):
            return solved[:, row, 0, None, None] * x + solved[:, row, 1, None, None] * y + solved[:, row, 2, None, None]

        depth = part(2)
        depth = torch.where(depth.abs() < 1e-4, torch.full_like(depth, 1e-4), depth)
        u, v = part(0) / depth, part(1) / depth
        round_corner = (self.uniform(0, 0.07, size, 1, 1) * self.coin(0.7, size, 1, 1)).clamp(min=1e-3)
        wide = aspect[:, None, None]
        across = ((u - 0.5).abs() - 0.5) * wide + round_corner
        down = (v - 0.5).abs() - 0.5 + round_corner
        far = (
            torch.sqrt(across.clamp(min=0) ** 2 + down.clamp(min=0) ** 2 + 1e-12)
            + torch.maximum(across, down).clamp(max=0)
            - round_corner
        )
        far = torch.where(depth > 0, far, torch.full_like(far, 9.0))
        gradient = torch.sqrt(_slope(far, 2) ** 2 + _slope(far, 1) ** 2).clamp(1e-4, 1.0)
        distance = (far / gradient).clamp(-60, 60)
        return (0.5 - distance).clamp(0, 1), distance, u.clamp(-4, 4), v.clamp(-4, 4)

    # ── the document ───────────────────────────────────────────────────────────────────────────────────────

    def _page(self, size: int) -> Tensor:
        """A card or page: tinted paper with waves, a header, a portrait, text, a zone at the foot."""
        u, v = self.u, self.v
        one = (size, 1, 1, 1)
        light = self.uniform(0.62, 0.98, *one)
        tint = light + self.normal(size, 3, 1, 1) * self.uniform(0, 0.13, *one)
        other = light + self.normal(size, 3, 1, 1) * 0.12
        blend = ((u - 0.5) * self.uniform(-1.5, 1.5, *one) + (v - 0.5) * self.uniform(-1.5, 1.5, *one) + 0.5).clamp(
            0, 1
        )
        page = tint * (1 - blend) + other * blend
        for _ in range(3):
            bend = self.uniform(0, 3, *one) * torch.sin(u * self.uniform(2, 25, *one) + v * self.uniform(-15, 15, *one))
            wave = torch.sin(u * self.uniform(-160, 160, *one) + v * self.uniform(-120, 120, *one) + bend)
            page = page + wave * self.normal(size, 3, 1, 1) * 0.05 * self.coin(0.6, *one)
        patch = F.interpolate(self.normal(size, 3, 4, 6), (_TALL, _WIDE), mode="bicubic", align_corners=False)
        page = page + patch * self.uniform(0, 0.12, *one)
        for _ in range(2):
            box = self._box(size, 0.0, 1.0, 0.05, 0.6, 0.02, 0.5)
            page = page * (1 - box) + box * self.uniform(0.05, 1, size, 3, 1, 1)
        header = (v < self.uniform(0.06, 0.22, *one)).float() * self.coin(0.5, *one)
        page = page * (1 - header) + header * (self.uniform(0.1, 0.95, size, 3, 1, 1))
        ink = self.uniform(0.02, 0.35, *one)
        for _ in range(4):
            box = self._box(size, 0.02, 0.75, 0.15, 0.7, 0.06, 0.5)
            page = page * (1 - box * self._text(size)) + ink * box * self._text(size)
        portrait, face = self._portrait(size)
        page = page * (1 - portrait) + portrait * self.uniform(0.5, 1.0, size, 3, 1, 1)
        skin = self.uniform(0.25, 0.85, *one) * torch.tensor([1.0, 0.8, 0.7], device=self.device).view(1, 3, 1, 1)
        page = page * (1 - face) + face * skin
        zone = ((v > 1 - self.uniform(0.16, 0.3, *one)) & (v < 0.95) & (u > 0.03) & (u < 0.97)).float() * self.coin(
            0.45, *one
        )
        page = page * (1 - zone * 0.5) + zone * 0.5 * self.uniform(0.8, 1.0, *one)
        marks = zone * self._text(size, dense=True)
        page = page * (1 - marks) + ink * marks
        blank = self.coin(0.06, *one)
        return (page * (1 - blank) + tint * blank).clamp(0, 1)

    def _lost(self, size: int) -> Tensor:
        """Where the page is as blank as the ground: a strip along one side, or soft patches."""
        one = (size, 1, 1, 1)
        side = torch.floor(self.uniform(0, 4, *one))
        wide = self.uniform(0.08, 0.38, *one)
        ways = [self.u, 1 - self.u, self.v, 1 - self.v]
        near = sum((side == index) * (way < wide) for index, way in enumerate(ways)).float()
        soft = F.interpolate(self.normal(size, 1, 4, 5), (_TALL, _WIDE), mode="bicubic", align_corners=False)
        soft = (soft * 2 - self.uniform(0, 1.5, *one)).clamp(0, 1)
        return (near * self.coin(0.22, *one) + soft * self.coin(0.2, *one)).clamp(0, 1)

    def _box(self, size: int, low: float, high: float, w0: float, w1: float, h0: float, h1: float) -> Tensor:
        one = (size, 1, 1, 1)
        left, top = self.uniform(low, high, *one), self.uniform(0.05, 0.9, *one)
        wide, tall = self.uniform(w0, w1, *one), self.uniform(h0, h1, *one)
        return ((self.u > left) & (self.u < left + wide) & (self.v > top) & (self.v < top + tall)).float() * self.coin(
            0.75, *one
        )

    def _text(self, size: int, dense: bool = False) -> Tensor:
        """Rows of marks that look like print from afar."""
        one = (size, 1, 1, 1)
        rows = self.uniform(9, 26, *one)
        phase = (self.v * rows) % 1
        lines = ((phase > 0.3) & (phase < (0.62 if dense else 0.72))).float()
        letters = F.interpolate(self.normal(size, 1, 50, 100), (_TALL, _WIDE), mode="nearest")
        words = F.interpolate(self.normal(size, 1, 26, 14), (_TALL, _WIDE), mode="nearest")
        shown = (letters > -0.3).float() * (1.0 if dense else (words > -0.2).float())
        return lines * shown * self.uniform(0.6, 1.0, *one)

    def _portrait(self, size: int) -> tuple[Tensor, Tensor]:
        one = (size, 1, 1, 1)
        left = torch.where(self.coin(0.7, *one) > 0, self.uniform(0.02, 0.1, *one), self.uniform(0.6, 0.72, *one))
        top, wide, tall = self.uniform(0.12, 0.3, *one), self.uniform(0.18, 0.3, *one), self.uniform(0.4, 0.6, *one)
        box = ((self.u > left) & (self.u < left + wide) & (self.v > top) & (self.v < top + tall)).float() * self.coin(
            0.75, *one
        )
        across, down = (self.u - left - wide / 2) / wide, (self.v - top - tall * 0.45) / tall
        head = ((across / 0.26) ** 2 + (down / 0.28) ** 2 < 1).float()
        body = ((across / 0.48) ** 2 + ((down - 0.5) / 0.25) ** 2 < 1).float()
        return box, box * (head + body * 0.6).clamp(0, 1)

    # ── what it lies on ────────────────────────────────────────────────────────────────────────────────────

    def _ground(self, size: int, scan: Tensor) -> Tensor:
        one = (size, 1, 1, 1)
        plain = self.uniform(0.82, 1.0, *one) + self.normal(size, 3, 1, 1) * 0.015 + self._noise(size, 1, 3) * 0.01
        dark_lid = self.coin(0.12, *one)
        plain = plain * (1 - dark_lid) + dark_lid * self.uniform(0.02, 0.5, *one)
        for _ in range(2):
            sheet = self._rectangle(size) * self.coin(0.25, *one)
            colour = (plain + self.normal(size, 3, 1, 1) * 0.12).clamp(0, 1)
            plain = plain * (1 - sheet) + colour * sheet
        base = self.uniform(0.08, 0.9, *one) + self.normal(size, 3, 1, 1) * 0.12
        angle = self.uniform(0, math.pi, size, 1, 1)
        along = self.x * torch.cos(angle) + self.y * torch.sin(angle)
        across = -self.x * torch.sin(angle) + self.y * torch.cos(angle)
        grain = torch.sin(
            across * self.uniform(0.1, 1.4, size, 1, 1) + 2.5 * self._noise(size, 1, 6)[:, 0] + along * 0.01
        )[:, None]
        weave = (
            torch.sin(along * self.uniform(0.5, 2.5, size, 1, 1))
            * torch.sin(across * self.uniform(0.5, 2.5, size, 1, 1))
        )[:, None]
        tiles = (
            ((along / self.uniform(20, 120, size, 1, 1)) % 1 < 0.04)
            | ((across / self.uniform(20, 120, size, 1, 1)) % 1 < 0.04)
        ).float()[:, None]
        table = (
            base
            + grain * self.uniform(0, 0.1, *one) * self.coin(0.5, *one)
            + weave * self.uniform(0, 0.1, *one) * self.coin(0.35, *one)
        )
        table = table + tiles * self.normal(*one) * 0.25 * self.coin(0.2, *one)
        colourful = self.coin(0.2, *one) * 0.1 + 0.02
        table = table + self._noise(size, 3, 5) * colourful + self._noise(size, 1, 7) * self.uniform(0, 0.14, *one)
        table = table + self._noise(size, 1, 40) * self.uniform(0, 0.1, *one) * self.coin(0.6, *one)
        for index in range(5):
            thing = self._rectangle(size) if index < 3 else self._blob(size)
            thing = thing * self.coin(0.4, *one)
            colour = self.uniform(0, 1, size, 3, 1, 1) * 0.5 + self.uniform(0, 0.5, *one)
            print_on_it = self._noise(size, 1, 60).sign() * self.uniform(0, 0.2, *one) * self.coin(0.5, *one)
            table = table * (1 - thing) + (colour + print_on_it) * thing
        return (plain * scan + table * (1 - scan)).clamp(0, 1)

    def _noise(self, size: int, channels: int, cells: int) -> Tensor:
        return F.interpolate(
            self.normal(size, channels, cells, cells), (SIDE, SIDE), mode="bicubic", align_corners=False
        )

    def _rectangle(self, size: int) -> Tensor:
        angle = self.uniform(0, math.pi, size, 1, 1) * self.coin(0.6, size, 1, 1)
        x, y = self.x - self.uniform(0, SIDE, size, 1, 1), self.y - self.uniform(0, SIDE, size, 1, 1)
        across = (x * torch.cos(angle) + y * torch.sin(angle)).abs() - self.uniform(8, 170, size, 1, 1)
        down = (-x * torch.sin(angle) + y * torch.cos(angle)).abs() - self.uniform(8, 170, size, 1, 1)
        return (0.5 - torch.maximum(across, down)).clamp(0, 1)[:, None]

    def _blob(self, size: int) -> Tensor:
        x, y = self.x - self.uniform(0, SIDE, size, 1, 1), self.y - self.uniform(0, SIDE, size, 1, 1)
        far = torch.sqrt((x / self.uniform(8, 80, size, 1, 1)) ** 2 + (y / self.uniform(8, 80, size, 1, 1)) ** 2)
        return ((1 - far) * 20 + 0.5).clamp(0, 1)[:, None]

    def _shadow(self, distance: Tensor, size: int) -> Tensor:
        """Darker ground beside the document, more on one side, soft or as a thin line."""
        angle = self.uniform(0, 2 * math.pi, size, 1, 1)
        reach = torch.exp(self.uniform(math.log(0.8), math.log(14), size, 1, 1))
        side = _slope(distance, 2) * torch.cos(angle) + _slope(distance, 1) * torch.sin(angle)
        strong = 0.6 * self.uniform(0, 1, size, 1, 1) ** 1.6 * self.coin(0.85, size, 1, 1)
        uneven = 0.35 + 0.65 * (side.clamp(-1, 1) + 1) / 2
        return (torch.exp(-distance.clamp(min=0) / reach) * strong * uneven)[:, None]

    def _hands(self, scene: Tensor, quads: Tensor, size: int, present: Tensor) -> Tensor:
        """Fingers over an edge, or a whole hand beneath a corner's neighbourhood."""
        for _ in range(2):
            edge = torch.floor(self.uniform(0, 4, size)).long()
            start = quads[torch.arange(size), edge]
            end = quads[torch.arange(size), (edge + 1) % 4]
            at = start + (end - start) * self.uniform(0.1, 0.9, size, 1)
            inward = quads.mean(1) - at
            inward = inward / inward.norm(dim=1, keepdim=True).clamp(min=1)
            tip = at + inward * self.uniform(2, 22, size, 1)
            gap_x, gap_y = self.x - tip[:, 0, None, None], self.y - tip[:, 1, None, None]
            along = gap_x * inward[:, 0, None, None] + gap_y * inward[:, 1, None, None]
            across = gap_x * -inward[:, 1, None, None] + gap_y * inward[:, 0, None, None]
            wide = self.uniform(7, 20, size, 1, 1)
            far = torch.sqrt(across**2 + along.clamp(min=0) ** 2) - wide
            finger = ((0.5 - far / 1.5).clamp(0, 1) * self.coin(0.16, size, 1, 1) * present)[:, None]
            skin = self.uniform(0.25, 0.95, size, 1, 1, 1) * torch.tensor([1.0, 0.76, 0.65], device=self.device).view(
                1, 3, 1, 1
            )
            scene = scene * (1 - finger) + skin * (1 - 0.3 * (across / wide)[:, None].clamp(-1, 1) ** 2) * finger
        return scene

    def _photograph(self, scene: Tensor, scan: Tensor) -> Tensor:
        size = len(scene)
        one = (size, 1, 1, 1)
        x, y = (self.x / SIDE - 0.5)[:, None], (self.y / SIDE - 0.5)[:, None]
        light = 1 + (x * self.uniform(-0.7, 0.7, *one) + y * self.uniform(-0.7, 0.7, *one)) * (1 - 0.85 * scan)
        scene = (
            scene
            * light
            * (1 + (self.uniform(-0.35, 0.2, *one) + self.normal(size, 3, 1, 1) * 0.06) * (1 - 0.7 * scan))
        )
        shade = (self._noise(size, 1, 3) * self.uniform(0, 0.12, *one)) * (1 - scan)
        scene = scene * (1 + shade)
        far = ((x - self.uniform(-0.5, 0.5, *one)) / self.uniform(0.03, 0.2, *one)) ** 2 + (
            (y - self.uniform(-0.5, 0.5, *one)) / self.uniform(0.03, 0.2, *one)
        ) ** 2
        scene = scene + torch.exp(-far) * self.uniform(0.2, 0.9, *one) * self.coin(0.2, *one) * (1 - scan)
        soft = F.avg_pool2d(F.pad(scene, (1, 1, 1, 1), mode="replicate"), 3, 1)
        softer = F.avg_pool2d(F.pad(soft, (2, 2, 2, 2), mode="replicate"), 5, 1)
        amount = self.uniform(0, 1, *one)
        much = self.coin(0.25, *one) * self.uniform(0, 1, *one)
        scene = scene * (1 - amount) + soft * amount
        scene = scene * (1 - much) + softer * much
        grey = self.coin(0.08, *one)
        scene = scene * (1 - grey) + scene.mean(1, keepdim=True) * grey
        scene = scene + self.normal(size, 3, SIDE, SIDE) * self.uniform(0, 1, *one) ** 2 * 0.06
        return scene.clamp(0, 1) ** torch.exp(self.uniform(-0.25, 0.25, *one))


def _slope(field: Tensor, axis: int) -> Tensor:
    return torch.gradient(field, dim=axis)[0]


def _homography(source: Tensor, target: Tensor) -> Tensor:
    """The 3 × 3 matrices that carry four points to four points."""
    size = len(source)
    x, y = source[..., 0], source[..., 1]
    u, v = target[..., 0], target[..., 1]
    zero, one = torch.zeros_like(x), torch.ones_like(x)
    top = torch.stack([x, y, one, zero, zero, zero, -u * x, -u * y], -1)
    low = torch.stack([zero, zero, zero, x, y, one, -v * x, -v * y], -1)
    solved = torch.linalg.solve(torch.cat([top, low], 1).double(), torch.cat([u, v], 1).double()).float()
    return torch.cat([solved, torch.ones(size, 1, device=source.device)], 1).view(size, 3, 3)

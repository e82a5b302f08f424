/** What this browser can honestly tell of its device. It can only add suspicion: the server sees the connection itself. */

const VERSION = '0.1.0';
const VIRTUAL_CAMERA = /\b(obs|virtual|manycam|snap camera|xsplit|droidcam|e2esoft|vcam|iriun|camo|splitcam|fake|dummy|loopback)\b/i;

/** @param {string} label */
export const looksVirtual = (label) => VIRTUAL_CAMERA.test(label);

/** A short name of browser and system, for the phone's "did you start this?". */
export function deviceName(agent = navigator.userAgent) {
  const browser = [['Edg/', 'Edge'], ['OPR/', 'Opera'], ['SamsungBrowser', 'Samsung Internet'], ['Firefox/', 'Firefox'], ['FxiOS', 'Firefox'], ['CriOS', 'Chrome'], ['Chrome/', 'Chrome'], ['Safari/', 'Safari']]
    .find(([mark]) => agent.includes(mark ?? ''))?.[1];
  const system = [['iPhone', 'iPhone'], ['iPad', 'iPad'], ['Android', 'Android'], ['CrOS', 'ChromeOS'], ['Windows', 'Windows'], ['Macintosh', 'Mac'], ['Linux', 'Linux']]
    .find(([mark]) => agent.includes(mark ?? ''))?.[1];
  return [browser ?? 'Browser', system].filter(Boolean).join(' · ');
}

/** A device that is held in the hand has its camera at the back; a computer rarely has. */
export function isHandheld() {
  return matchMedia('(pointer: coarse)').matches && navigator.maxTouchPoints > 0;
}

/** @returns {string[]} */
function emulatorHints() {
  /** @type {string[]} */
  const hints = [];
  const gl = document.createElement('canvas').getContext('webgl');
  const info = gl?.getExtension('WEBGL_debug_renderer_info');
  const gpu = gl ? String(gl.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : gl.RENDERER)) : '';
  if (/swiftshader|llvmpipe/i.test(gpu)) hints.push('SOFTWARE_GPU');
  if (/android emulator|bluestacks|genymotion|virtualbox|vmware/i.test(gpu)) hints.push('EMULATED_GPU');
  if (/\b(sdk_gphone|Android SDK built for|Emulator)\b/i.test(navigator.userAgent)) hints.push('EMULATOR_USER_AGENT');
  if (/Android|iPhone/.test(navigator.userAgent) && navigator.maxTouchPoints === 0) hints.push('PHONE_WITHOUT_TOUCH');
  gl?.getExtension('WEBGL_lose_context')?.loseContext();
  return hints;
}

/**
 * The signals for POST /device.
 * @param {{cameraLabels?: string[], location?: object | null}} [known]
 */
export function signals({ cameraLabels = [], location = null } = {}) {
  const hints = emulatorHints();
  return {
    platform: 'WEB',
    sdk_version: VERSION,
    ...(location ? { location } : {}),
    web: {
      webdriver: navigator.webdriver === true,
      camera_labels: cameraLabels.slice(0, 16).map((label) => label.slice(0, 200)),
      virtual_camera: cameraLabels.some(looksVirtual),
      emulator_hints: hints,
      time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone ?? null,
      languages: [...navigator.languages].slice(0, 16),
      user_agent: navigator.userAgent.slice(0, 500),
      touch_points: navigator.maxTouchPoints,
      screen: `${screen.width}x${screen.height}@${Math.round(devicePixelRatio * 10) / 10}`,
    },
  };
}

/** Ask for the place; a refusal is an answer too. @returns {Promise<object>} */
export function whereAmI() {
  if (!navigator.geolocation) return Promise.resolve({ permission: 'UNAVAILABLE' });
  return new Promise((resolve) => {
    navigator.geolocation.getCurrentPosition(
      ({ coords, timestamp }) => resolve({
        permission: 'GRANTED', latitude: coords.latitude, longitude: coords.longitude, accuracy_m: coords.accuracy, at: new Date(timestamp).toISOString(),
      }),
      (error) => resolve({ permission: error.code === error.PERMISSION_DENIED ? 'DENIED' : 'UNAVAILABLE' }),
      { enableHighAccuracy: false, timeout: 15_000, maximumAge: 60_000 },
    );
  });
}

/** The answers of the SDK interface (docs/reference/sdk-interface.md). */

type Way = 'UP' | 'UP_LEFT' | 'LEFT' | 'DOWN_LEFT' | 'DOWN' | 'DOWN_RIGHT' | 'RIGHT' | 'UP_RIGHT';
export type Step = 'LOOK_STRAIGHT' | `LIGHT_${'RED' | 'GREEN' | 'BLUE' | 'YELLOW' | 'CYAN' | 'MAGENTA'}` | `AIM_NEAR_${Way}` | `AIM_FAR_${Way}` | `MOVE_${'CLOSER' | 'AWAY'}_A_${'LITTLE' | 'LOT'}`;
export type Side = 'front' | 'back';
export interface AcceptedDocument { country: string; type: string; sides: Side[] }
export interface Take { usable: boolean; reasons: string[]; takes_left: number }
export interface Session {
  /** Only there, and false, where the account is a sandbox. */
  livemode?: false;
  transaction_id: string;
  transaction_type: string;
  status: string;
  now: string;
  expires_at: string;
  account: { name: string };
  steps: ('CONSENT' | 'DOCUMENT' | 'LIVENESS')[];
  consent: { given: boolean | null; text_version: string; retention_days: number | null; privacy_url: string | null };
  documents: AcceptedDocument[];
  progress: {
    document: { country: string | null; type: string | null; back_needed: boolean | null; front: Take | null; back: Take | null };
    liveness: { done: boolean; attempts_left: number };
    device: boolean;
  };
  liveness: { challenge_seconds: number; frames_min: number; frames_max: number; frame_max_px: number; light: boolean };
  limits: { image_bytes: number; image_types: string[]; takes: number };
  file_upload: boolean;
  handoff: boolean;
  wants_location: boolean;
  language: string | null;
  /** What the account says itself, by language. */
  texts: Record<string, { welcome: string | null; done: string | null }>;
  return: { origins: string[]; url: string | null };
  demo: boolean;
}
export interface DocumentAnswer extends Take { back_needed: boolean | null; can_use_anyway: boolean; advice: string }
export interface ChallengeAnswer { nonce: string; steps: Step[]; expires_at: string; seconds: number; attempts_left: number }
export interface LivenessAnswer { usable: boolean; reasons: string[]; attempts_left: number }
export interface HandoffAnswer { url: string; qr_svg: string; match_number: string; state: HandoffState; expires_at: string }
export type HandoffState = 'WAITING' | 'OPENED' | 'CONNECTED' | 'FINISHED' | 'REFUSED' | 'EXPIRED';
export interface HandoffStatus { state: HandoffState; expires_at: string }
export interface ClaimAnswer {
  sdk_token: string;
  origin: { device: string; place: string | null };
  account: { name: string };
  numbers: string[];
  expires_at: string;
}
export interface RecordedFrame { step: Step; at_ms: number; image: Blob }

/** What the worker saw of one face, in the unmirrored picture; lengths as fractions of its height. */
export interface FaceMeasure {
  x: number; y: number; size: number;
  yaw: number; pitch: number; roll: number;
}

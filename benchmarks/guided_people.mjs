/**
 * Simulated people before the capture page's own guidance, on phones of several speeds: `benchmarks/guidance.py` starts it.
 * Reads {page, phones, challenges, seed} as JSON from its standard input; writes, for each phone, what became of each person.
 */

import { readFileSync } from 'node:fs';

const { page, phones, challenges, seed } = JSON.parse(readFileSync(0, 'utf8'));
const { Challenge } = await import(`${page}/face/challenge.js`);
const { aimOf, away, PITCH_FAR, SIZES, YAW_FAR } = await import(`${page}/face/targets.js`);
const { Meanwhile } = await import(`${page}/face/meanwhile.js`).catch(() => ({ Meanwhile: null }));

const SIZE = 0.35; // the face's height when it looks straight, of the stage's
const STEP_WITHIN = 20;
const ALL_WITHIN = 78;
const NOISE = 0.5; // degrees by which a measured head is off
const CAMERA = 0.033;

let clock = 0; // seconds
globalThis.performance = { now: () => 1000 * clock };

/** Numbers from 0 to 1, the same for one seed (mulberry32). */
function chance(of) {
  let at = of >>> 0;
  return () => {
    at = (at + 0x6d2b79f5) | 0;
    let mixed = Math.imul(at ^ (at >>> 15), 1 | at);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** Somebody who reads what is asked for, moves there in one go, misses it by a little, and corrects that by what the page shows. */
class Person {
  constructor(random) {
    this.random = random;
    this.ring = 0.7 + 0.9 * random(); // seconds from the middle to a far target
    this.reacts = 0.3 + 0.5 * random();
    this.trembles = 7 * random();
    this.moves = [{ from: { yaw: 0, pitch: 0, size: 1 }, to: { yaw: 0, pitch: 0, size: 1 }, at: 0, takes: 1 }];
    this.home = this.pose(0);
    this.index = 0;
    this.slower = 1;
  }

  gauss() {
    return Math.sqrt(-2 * Math.log(this.random() + 1e-12)) * Math.cos(2 * Math.PI * this.random());
  }

  /** The head at this moment, also one that has passed: minimum jerk from each place to the next, and a tremor. */
  pose(at) {
    const { from, to, at: began, takes } = this.moves.findLast((move) => move.at <= at) ?? this.moves[0];
    const part = Math.max(0, Math.min(1, (at - began) / takes));
    const gone = part ** 3 * (10 - 15 * part + 6 * part * part);
    const mix = (one, other) => one + (other - one) * gone;
    const tremor = 0.4 * Math.sin(7 * at + this.trembles);
    return { yaw: mix(from.yaw, to.yaw) + tremor, pitch: mix(from.pitch, to.pitch) - tremor, size: mix(from.size, to.size) };
  }

  measured(at) {
    const { yaw, pitch, size } = this.pose(at);
    return [{ x: 0, y: 0, yaw: yaw + NOISE * this.gauss(), pitch: pitch + NOISE * this.gauss(), size: SIZE * size * (1 + 0.006 * this.gauss()) }];
  }

  move(to, at, takes) {
    this.moves.push({ from: this.pose(at), to, at, takes: Math.max(0.3, takes) });
  }

  get rests() {
    const { at, takes } = this.moves.at(-1);
    return clock >= at + takes;
  }

  /** What the page says now. */
  follow({ step, index, hint }) {
    if (index !== this.index) [this.index, this.home, this.slower] = [index, this.pose(clock), 1];
    if (!this.rests) return;
    const here = this.pose(clock);
    const begins = clock + this.reacts;
    const target = aimOf(step);
    if (target && hint === 'again_slower') {
      this.slower = Math.min(4, 2 * this.slower);
      const back = this.ring * Math.max(0.4, away(this.home, here));
      this.move(this.home, begins, back);
      this.move({ ...target, size: here.size }, begins + back + 0.4, this.ring * this.slower * away(this.home, target));
    } else if (target && away(here, target) > 0.09) {
      const off = away(here, target);
      const gain = 1 + 0.12 * this.gauss();
      const error = 0.5 * Math.max(0.02, 0.08 * off);
      const yaw = here.yaw + gain * (target.yaw - here.yaw) + YAW_FAR * error * this.gauss();
      const pitch = here.pitch + gain * (target.pitch - here.pitch) + PITCH_FAR * error * this.gauss();
      this.move({ yaw, pitch, size: here.size }, begins, this.ring * this.slower * off);
    } else if (!target) {
      const wanted = SIZES[step] ?? here.size;
      const off = Math.log(wanted / here.size);
      if (Math.abs(off) < 0.03 && Math.hypot(here.yaw, here.pitch) < 4) return;
      const size = here.size * Math.exp(off * (1 + 0.1 * this.gauss()));
      this.move({ yaw: 0.8 * this.gauss(), pitch: 0.8 * this.gauss(), size }, begins, 0.8);
    }
  }
}

/** The loop of the page: look, be guided, record. `looks` is how long a picture is measured, in seconds. */
async function visit(steps, looks, random) {
  clock = 0;
  const person = new Person(random);
  const challenge = new Challenge(steps);
  const meanwhile = Meanwhile && new Meanwhile();
  const told = { finished: false, seconds: 0, sentBack: 0, frames: 0 };
  let [stepBegan, index, before] = [0, 0, null];
  const measuring = async (at) => {
    const until = clock + looks * (0.8 + 0.4 * random());
    while (clock < until) {
      await new Promise(setImmediate);
      clock += CAMERA;
    }
    return person.measured(at);
  };
  const fresh = () => new Promise((resolve) => setImmediate(() => resolve(true)));
  while (clock < ALL_WITHIN && clock - stepBegan < STEP_WITHIN) {
    const now = clock;
    const looking = measuring(now);
    if (meanwhile && challenge.waits) meanwhile.watch(looking, fresh, () => ({ at: clock }));
    else meanwhile?.forget();
    const guidance = challenge.observe(await looking, 1000 * now, 1000 * clock);
    if (meanwhile && guidance.skipped) {
      const found = await meanwhile.recall(challenge, (picture) => measuring(picture.at));
      told.frames += found.length;
      if (found.length && guidance.hint === 'again_slower') guidance.hint = 'ready';
    }
    told.frames += Number(guidance.record);
    told.seconds = clock;
    if (guidance.done) return { ...told, finished: true };
    if (guidance.index !== index) [index, stepBegan] = [guidance.index, clock];
    const back = guidance.hint === 'again_slower' && person.rests;
    told.sentBack += Number(back && before !== 'again_slower');
    before = guidance.hint;
    person.follow(guidance);
    clock += 0.01;
  }
  return told;
}

const answer = [];
for (const looks of phones) {
  const visits = [];
  for (const [number, steps] of challenges.entries()) visits.push(await visit(steps, looks / 1000, chance(seed + number)));
  answer.push({ looks, visits });
}
process.stdout.write(JSON.stringify(answer));

/** Which screen comes next, for every combination that matters: session and local state in, screen out. Run by `node --test`. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BEGINNING, canHandOff, chosenDocument, nextScreen, placeOf, withConsent, withFace, withTake } from '../../src/truename/capture_page/static/flow.js';

const CARD = { country: 'ES', type: 'NATIONAL_ID', sides: ['front', 'back'] };
const PASSPORT = { country: 'DE', type: 'PASSPORT', sides: ['front'] };
const STEPS = { DOCUMENT_AND_BIOMETRIC: ['CONSENT', 'DOCUMENT', 'LIVENESS'], DOCUMENT_ONLY: ['CONSENT', 'DOCUMENT'], BIOMETRIC_ONLY: ['CONSENT', 'LIVENESS'] };
const GOOD = { usable: true, reasons: [], takes_left: 7 };
const POOR = { usable: false, reasons: ['BLURRED'], takes_left: 3 };
const LAST = { usable: false, reasons: ['BLURRED'], takes_left: 0 };

/** A session of a person who has agreed; `taken` changes its document's progress. */
function session({ type = 'DOCUMENT_AND_BIOMETRIC', given = true, taken = {}, face = false, handoff = true, documents = [CARD, PASSPORT] } = {}) {
  const document = { country: null, type: null, back_needed: null, front: null, back: null, ...taken };
  return {
    steps: STEPS[type], consent: { given, text_version: '2026-11', retention_days: 90, privacy_url: null }, documents, handoff,
    progress: { document, liveness: { done: face, attempts_left: 5 }, device: false },
  };
}

/** On a phone in the hand, with the session read, unless said otherwise. */
const here = (local = {}) => ({ ...BEGINNING, loading: false, handheld: true, ...local });
const computer = (local = {}) => here({ handheld: false, ...local });
const TROUBLE = { kind: 'offline', where: null };
const CLAIM = { sdk_token: 'a.b.c', numbers: ['1', '2', '3'] };

const TABLE = [
  // what is known, session, local, screen
  ['nothing is known yet', null, here(), 'loading'],
  ['the session is being read again', session(), here({ loading: true }), 'loading'],
  ['a trouble comes before all else', session(), here({ trouble: TROUBLE, finished: true, claim: CLAIM }), 'trouble'],
  ['a trouble needs no session', null, here({ trouble: TROUBLE }), 'trouble'],
  ['the end needs no session: the link was used up', null, here({ finished: true }), 'done'],
  ['the end comes before the number', session(), here({ finished: true, claim: CLAIM }), 'done'],
  ['a phone link asks for its number first', null, here({ claim: CLAIM, onPhone: true }), 'confirm'],
  ['the number comes before reading', session(), here({ claim: CLAIM, loading: true }), 'confirm'],
  ['nobody was asked yet', session({ given: null }), here(), 'consent'],
  ['who declined before a reload is asked again', session({ given: false }), here(), 'consent'],
  ['who declines just now is told what that means', session({ given: false }), here({ declined: true }), 'declined'],
  ['who agrees after all goes on', session(), here({ declined: true, choice: CARD }), 'document front'],
  ['consent comes before the phone', session({ given: null }), computer({ device: 'phone' }), 'consent'],
  ['a document is chosen first', session(), here(), 'choose'],
  ['the chosen document is photographed', session(), here({ choice: CARD }), 'document front'],
  ['a computer hands a document over', session(), computer(), 'handoff'],
  ['a computer hands over before choosing', session(), computer({ choice: CARD }), 'handoff'],
  ['who stays at the computer chooses there', session(), computer({ device: 'here' }), 'choose'],
  ['an account without hand-off stays here', session({ handoff: false }), computer(), 'choose'],
  ['an account without hand-off stays here even when asked', session({ handoff: false }), computer({ device: 'phone' }), 'choose'],
  ['the phone that took over does not hand over again', session(), computer({ onPhone: true }), 'choose'],
  ['a phone in the hand does not hand over', session(), here({ device: 'phone' }), 'choose'],
  ['a passport has no back', session({ taken: { front: GOOD } }), here({ choice: PASSPORT }), 'face'],
  ['a card has one', session({ taken: { front: GOOD } }), here({ choice: CARD }), 'document back'],
  ['the service knows better: no back', session({ taken: { front: GOOD, back_needed: false } }), here({ choice: CARD }), 'face'],
  ['the service knows better: a back', session({ taken: { front: GOOD, back_needed: true } }), here({ choice: PASSPORT }), 'document back'],
  ['a back without a choice, after a reload', session({ taken: { front: GOOD, back_needed: true } }), here(), 'document back'],
  ['a computer hands the back over, too', session({ taken: { front: GOOD, back_needed: true } }), computer(), 'handoff'],
  ['a poor front is taken again', session({ taken: { front: POOR } }), here({ choice: CARD }), 'document front'],
  ['a poor front after a reload is chosen for again', session({ taken: { front: POOR } }), here(), 'choose'],
  ['a poor front that the person keeps', session({ taken: { front: POOR } }), here({ choice: PASSPORT, anyway: ['front'] }), 'face'],
  ['keeping the front does not keep the back', session({ taken: { front: GOOD, back: POOR, back_needed: true } }), here({ anyway: ['front'] }), 'document back'],
  ['a poor back that the person keeps', session({ taken: { front: GOOD, back: POOR, back_needed: true } }), here({ anyway: ['back'] }), 'face'],
  ['the last take stands', session({ taken: { front: LAST } }), here({ choice: PASSPORT }), 'face'],
  ['the last take of the back stands', session({ taken: { front: GOOD, back: LAST, back_needed: true } }), here(), 'face'],
  ['both sides, then the face', session({ taken: { front: GOOD, back: GOOD, back_needed: true } }), here(), 'face'],
  ['both sides alone', session({ type: 'DOCUMENT_ONLY', taken: { front: GOOD, back: GOOD, back_needed: true } }), here(), 'submitting'],
  ['a document alone needs no face', session({ type: 'DOCUMENT_ONLY', taken: { front: GOOD } }), here({ choice: PASSPORT }), 'submitting'],
  ['a face alone needs no document', session({ type: 'BIOMETRIC_ONLY', documents: [] }), here(), 'face'],
  ['a face may be shown to a computer', session({ type: 'BIOMETRIC_ONLY', documents: [] }), computer(), 'face'],
  ['a face may be shown to a phone, when asked for', session({ type: 'BIOMETRIC_ONLY', documents: [] }), computer({ device: 'phone' }), 'handoff'],
  ['a face after the document stays where it is', session({ taken: { front: GOOD } }), computer({ choice: PASSPORT }), 'face'],
  ['the face first, the document later', session({ face: true }), here(), 'choose'],
  ['everything is there', session({ face: true, taken: { front: GOOD } }), here({ choice: PASSPORT }), 'submitting'],
  ['a face alone is there', session({ type: 'BIOMETRIC_ONLY', face: true, documents: [] }), here(), 'submitting'],
];

for (const [what, given, local, expected] of TABLE) {
  test(`${what}: ${expected}`, () => {
    const { name, side } = nextScreen(given, local);
    assert.equal(side ? `${name} ${side}` : name, expected);
  });
}

test('whatever the state, there is a screen, and asking changes nothing', () => {
  const takes = [null, GOOD, POOR, LAST];
  const names = new Set();
  for (const type of Object.keys(STEPS)) for (const given of [null, true, false]) for (const front of takes) for (const back of takes) for (const needed of [null, true, false]) {
    for (const face of [true, false]) for (const handoff of [true, false]) for (const device of ['undecided', 'here', 'phone']) for (const handheld of [true, false]) {
      const one = Object.freeze(session({ type, given, face, handoff, taken: { front, back, back_needed: needed } }));
      const local = Object.freeze(here({ device, handheld }));
      const screen = nextScreen(one, local);
      assert.deepEqual(nextScreen(one, local), screen);
      names.add(screen.name);
      if (!given) assert.equal(screen.name, 'consent');
      if (screen.name === 'handoff') assert.ok(canHandOff(one, local));
      if (screen.name === 'submitting') assert.ok(face || type === 'DOCUMENT_ONLY');
      if (screen.name === 'face') assert.notEqual(type, 'DOCUMENT_ONLY');
    }
  }
  assert.deepEqual([...names].sort(), ['choose', 'consent', 'document', 'face', 'handoff', 'submitting']);
});

test('a person who does all that is asked comes to the end, whatever the type', () => {
  for (const type of Object.keys(STEPS)) {
    let one = session({ type, given: null });
    let local = here();
    const seen = [];
    for (let screen = nextScreen(one, local); screen.name !== 'submitting'; screen = nextScreen(one, local)) {
      seen.push(screen.side ? `${screen.name} ${screen.side}` : screen.name);
      assert.ok(seen.length < 9, `lost at ${seen}`);
      if (screen.name === 'consent') one = withConsent(one, true);
      if (screen.name === 'choose') local = { ...local, choice: CARD };
      if (screen.name === 'document') one = withTake(one, screen.side, { ...GOOD, back_needed: null, can_use_anyway: false, advice: '' });
      if (screen.name === 'face') one = withFace(one);
    }
    const document = ['choose', 'document front', 'document back'];
    assert.deepEqual(seen, ['consent', ...(type === 'BIOMETRIC_ONLY' ? [] : document), ...(type === 'DOCUMENT_ONLY' ? [] : ['face'])]);
  }
});

test('a new front forgets the back of the one before', () => {
  const before = session({ taken: { front: GOOD, back: GOOD, back_needed: true } });
  const after = withTake(before, 'front', { ...POOR, back_needed: false, can_use_anyway: true, advice: '' });
  assert.equal(after.progress.document.back, null);
  assert.equal(after.progress.document.back_needed, false);
  assert.deepEqual(before.progress.document.back, GOOD, 'the session before is not touched');
});

test('a front whose only fault is that its back is missing counts as taken', () => {
  const answer = { usable: false, reasons: ['BACK_NEEDED'], takes_left: 7, back_needed: null, can_use_anyway: true, advice: '' };
  const after = withTake(session(), 'front', answer);
  assert.deepEqual(nextScreen(after, here()), { name: 'document', side: 'back' });
});

test('the only document is chosen by itself, an earlier choice is found again, a choice here wins', () => {
  assert.equal(chosenDocument(session({ documents: [CARD] }), null), CARD);
  assert.equal(chosenDocument(session({ taken: { country: 'DE', type: 'PASSPORT' } }), null), PASSPORT);
  assert.equal(chosenDocument(session({ taken: { country: 'DE', type: 'PASSPORT' } }), CARD), CARD);
  assert.equal(chosenDocument(session(), null), null);
});

test('progress counts the steps of this transaction', () => {
  const at = (type, name) => placeOf(session({ type }), name);
  assert.deepEqual(at('DOCUMENT_AND_BIOMETRIC', 'consent'), { at: 0, count: 3 });
  assert.deepEqual(at('DOCUMENT_AND_BIOMETRIC', 'document'), { at: 1, count: 3 });
  assert.deepEqual(at('DOCUMENT_AND_BIOMETRIC', 'handoff'), { at: 1, count: 3 });
  assert.deepEqual(at('DOCUMENT_AND_BIOMETRIC', 'face'), { at: 2, count: 3 });
  assert.deepEqual(at('BIOMETRIC_ONLY', 'face'), { at: 1, count: 2 });
  assert.deepEqual(at('DOCUMENT_ONLY', 'done'), { at: 2, count: 2 });
  assert.equal(at('DOCUMENT_ONLY', 'trouble'), null);
  assert.equal(placeOf(null, 'done'), null);
});

"""A phone that measures for longer than its owner takes to turn the head, in a real browser."""

import base64
import json
from typing import Any

import cv2
import pytest
from playwright.async_api import Route

from tests.support import camera
from tests.support.visits import NewLink, Open
from tests.support.waiting import until
from truename.sandbox.drawing.head_scene import Pose
from truename.vision.captures import Step

pytestmark = pytest.mark.browser

PARTS = (0.0, 0.15, 0.3, 0.45, 0.6, 0.75, 0.9, 1.0)
"""How much of the way is gone in each picture that the camera brings of it, a tenth of a second or more apart."""
PERSON = """
  const scene = document.createElement('canvas');
  [scene.width, scene.height] = [640, 480];
  const drawing = scene.getContext('2d');
  window.person = { asked: false, skipped: false, recalled: 0, sentBack: false, passed: false };
  const begin = async () => {
    const way = await Promise.all(PICTURES.map(async (picture) => {
      const image = new Image();
      image.src = `data:image/jpeg;base64,${picture}`;
      await image.decode();
      return image;
    }));
    let [shown] = way;
    let tick = 0;
    setInterval(() => {
      drawing.drawImage(shown, 0, 0);
      drawing.fillStyle = `rgb(${tick % 200} 90 90)`;
      drawing.fillRect(tick++ % 600, 470, 4, 4);
    }, 33);
    // Each picture of the way stands until the page was shown it, however busy the machine is.
    person.turn = async () => {
      const video = document.querySelector('tn-face-live video');
      for (const picture of way) {
        shown = picture;
        await new Promise((resolve) => setTimeout(resolve, 100));
        await new Promise((resolve) => video.requestVideoFrameCallback(resolve));
      }
    };
    setInterval(watch, 50);
    return scene.captureStream(30);
  };
  const watch = () => {
    const guidance = document.querySelector('tn-face-live')?.guidance;
    if (!guidance) return;
    person.asked ||= guidance.index === 1;
    person.skipped ||= guidance.skipped;
    person.sentBack ||= guidance.hint === 'again_slower';
    person.passed ||= guidance.index > 1;
  };
  // The head turns once, as soon as a picture is being measured: all of the way lies within.
  const post = Worker.prototype.postMessage;
  Worker.prototype.postMessage = async function (message, rest) {
    const { turn } = person;
    if (message.type === 'frame' && person.asked && turn) {
      person.turn = null;
      await turn();
    } else if (message.type === 'frame') {
      await new Promise((resolve) => setTimeout(resolve, 600));
    }
    post.call(this, message, rest);
  };
  const bitmap = window.createImageBitmap;
  window.createImageBitmap = (picture, how) => {
    if (picture instanceof HTMLCanvasElement) person.recalled += 1;
    return bitmap(picture, how);
  };
  navigator.mediaDevices.getUserMedia = begin;
"""


async def ask_for_one_target(route: Route) -> None:
    """The service's challenge with other steps: nothing of it is sent."""
    answer = await route.fetch()
    steps = ["LOOK_STRAIGHT", "AIM_FAR_LEFT", "MOVE_CLOSER_A_LITTLE"]
    await route.fulfill(response=answer, json={**await answer.json(), "steps": steps})


async def test_a_head_that_turns_while_a_picture_is_measured_is_not_sent_back(visit: Open, new_link: NewLink) -> None:
    """The page had seen it before and after, and asked for the same again, slower."""
    goal = camera.goal_of(Step.AIM_FAR_LEFT, Pose().closer)
    way = [camera.person_at(camera.way_between(Pose(), goal, part)) for part in PARTS]
    coded = [cv2.imencode(".jpg", cv2.cvtColor(picture, cv2.COLOR_RGB2BGR))[1] for picture in way]
    pictures = [base64.b64encode(one.tobytes()).decode() for one in coded]
    one = await visit()
    await one.page.add_init_script(PERSON.replace("PICTURES", json.dumps(pictures)))
    await one.page.route("**/api/sdk/liveness/challenge", ask_for_one_target)
    await one.open(await new_link("BIOMETRIC_ONLY"))
    await one.press("Agree and continue")
    await one.page.get_by_role("button", name="I’m ready").click(timeout=30_000)
    person: dict[str, Any] = {}

    async def passed_or_sent_back() -> bool:
        person.update(await one.page.evaluate("({ ...person, turn: null })"))
        return bool(person["passed"] or person["sentBack"])

    await until(passed_or_sent_back, 60)
    assert person["skipped"], "no picture that was measured shows the way"
    assert person["recalled"] > 0
    assert not person["sentBack"]

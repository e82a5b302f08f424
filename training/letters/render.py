"""Sets lines of names and photographs them, a batch at a time, on whatever device the tensors live on."""

import math
import random
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from training.letters import texts
from training.letters.alphabets import SCRIPTS, SHARES, SPACE, allowed, outputs
from training.letters.atlas import BASELINE, CAPITAL, HEIGHT
from training.mrz.render import Photographer, blur, normalise

INPUT_HEIGHT = 48
LONGEST_TEXT = 60
"""Letters of a line: a token of Thai has up to three."""
_ROW = HEIGHT + 2 * 60
"""Height of a canvas: the line with parts of those above and below it."""


@dataclass
class Typefaces:
    """One script: where the ink of each token stands, by typeface, and which tokens a typeface lacks."""

    starts: Tensor
    widths: Tensor
    chosen: Tensor
    """The typefaces that lines are set in."""


@dataclass
class Pool:
    """Lines of one script: their tokens (−1 is the end, −2 a space), and their letters as outputs of the network."""

    tokens: Tensor
    letters: Tensor
    lengths: Tensor


@dataclass
class Batch:
    """Pictures, the letters each shows (padded), how many, and which letters its script has."""

    pictures: Tensor
    letters: Tensor
    lengths: Tensor
    allowed: Tensor


class LetterRenderer(Photographer):
    """Makes batches of line pictures with their letters, from typefaces that are learnt or from those held out."""

    def __init__(
        self, stored: dict[str, np.ndarray], device: torch.device, seed: int, lines: int, held_out: bool
    ) -> None:
        super().__init__(device, seed)
        self.columns = torch.from_numpy(stored["columns"]).to(device)
        self.typefaces, self.pools, self.allowed = {}, {}, {}
        for at, script in enumerate(SCRIPTS):
            chosen = np.flatnonzero(stored[f"{script}_held_out"] == held_out)
            starts, widths = (torch.from_numpy(stored[f"{script}_{name}"]).to(device) for name in ("starts", "widths"))
            self.typefaces[script] = Typefaces(starts, widths, torch.from_numpy(chosen).to(device))
            self.pools[script] = _pool(script, max(200, int(lines * SHARES[script])), seed + at, device)
            self.allowed[script] = torch.tensor(allowed(script), device=device)

    def group(self, size: int, script: str | None = None) -> Batch:
        """Lines of one script, drawn by how often each is to be seen."""
        script = script or random.Random(self.pick(1 << 30)).choices(list(SHARES), list(SHARES.values()))[0]
        canvas, wide, pool, chosen = self._canvas(script, size)
        scale = self.draw(0.36, 0.64) * INPUT_HEIGHT / CAPITAL
        width = -(-int(float(wide.max()) * scale * 1.28 + 24) // 8) * 8
        sharpness = min(1.0, math.exp(self.draw(math.log(0.26), math.log(1.3))))
        picture = self._geometry(canvas, wide, scale, width, sharpness)
        if self.draw(0, 1) < 0.03:
            picture = 255 - self.photograph(picture, CAPITAL * scale * sharpness * 0.8)
        else:
            picture = self.photograph(picture, CAPITAL * scale * sharpness * 0.8)
        mode = ("bilinear", "bicubic")[self.pick(2)]
        picture = F.interpolate(picture, (INPUT_HEIGHT, width), mode=mode, align_corners=False)
        told = self.allowed[script][None].expand(size, -1)
        return Batch(normalise(picture), pool.letters[chosen], pool.lengths[chosen], told)

    def _canvas(self, script: str, size: int) -> tuple[Tensor, Tensor, Pool, Tensor]:
        """The ink of lines at the atlas's own size, from the left edge on, and how wide each is."""
        faces, pool = self.typefaces[script], self.pools[script]
        chosen, font = self._lines_that_can_be_set(faces, pool, size)
        tokens = pool.tokens[chosen]
        known = tokens.clamp(min=0)
        ink = torch.where(tokens >= 0, faces.widths[font[:, None], known], 0)
        apart = torch.randint(-1, 6, (size, 1), generator=self.chance, device=self.device).clamp(min=0)
        apart = torch.where(self.uniform(0, 1, size, 1) < 0.6, torch.zeros_like(apart), apart)
        space = torch.randint(7, 20, (size, 1), generator=self.chance, device=self.device)
        steps = torch.where(tokens == -2, space, torch.where(tokens >= 0, ink + apart, 0))
        ends = steps.cumsum(1)
        wide = ends[:, -1]
        x = torch.arange(int(wide.max()), device=self.device)[None].expand(size, -1).contiguous()
        at = torch.searchsorted(ends, x, right=True).clamp(max=tokens.shape[1] - 1)
        within = x - (ends - steps).gather(1, at)
        start = faces.starts[font[:, None], known].gather(1, at)
        is_ink = (within < ink.gather(1, at)) & (x < wide[:, None])
        columns = self.columns[torch.where(is_ink, start + within, 0).long()]
        strip = columns.permute(0, 2, 1).float() / 255
        canvas = torch.zeros(size, 1, _ROW, strip.shape[-1], device=self.device)
        canvas[:, 0, 60 : 60 + HEIGHT] = strip
        for direction in (-1, 1):
            apart_by = int(self.draw(44, 90)) * direction
            other = strip.roll(1 + self.pick(size - 1), 0) * (self.uniform(0, 1, size, 1, 1) < 0.3)
            top = 60 + apart_by
            first, last = max(0, top), min(_ROW, top + HEIGHT)
            part = canvas[:, 0, first:last]
            torch.maximum(part, other[:, first - top : last - top], out=part)
        softened = blur(canvas, self.draw(0.4, 1.1))
        threshold = self.uniform(0.25, 0.58, size, 1, 1, 1)
        drawn = ((softened - threshold) * 3 + 0.5).clamp(0, 1)
        worn = F.interpolate(self.normal(size, 1, 24, canvas.shape[-1] // 5 + 4), drawn.shape[-2:], mode="bilinear")
        worn = 1 - (worn * 0.5 - self.uniform(0.4, 1.4, size, 1, 1, 1)).clamp(0, 0.6)
        return drawn * worn, wide, pool, chosen

    def _lines_that_can_be_set(self, faces: Typefaces, pool: Pool, size: int) -> tuple[Tensor, Tensor]:
        """Lines, and a typeface for each that has all of its tokens."""
        tries = 4 * size
        chosen = torch.randint(len(pool.tokens), (tries,), generator=self.chance, device=self.device)
        font = faces.chosen[torch.randint(len(faces.chosen), (tries,), generator=self.chance, device=self.device)]
        tokens = pool.tokens[chosen]
        lacks = (tokens >= 0) & (faces.widths[font[:, None], tokens.clamp(min=0)] == 0)
        fits = torch.nonzero(~lacks.any(1))[:, 0]
        if len(fits) < size:
            fits = fits.repeat(-(-size // max(1, len(fits))))
        return chosen[fits[:size]], font[fits[:size]]

    def _geometry(self, canvas: Tensor, wide: Tensor, scale: float, width: int, sharpness: float) -> Tensor:
        """The lines cut out at the camera's resolution, with the small errors that a finder of lines makes."""
        size, _, height, across_all = canvas.shape
        small = scale * sharpness
        if small < 1:
            canvas = F.interpolate(
                canvas, (round(height * small), max(2, round(across_all * small))), mode="bilinear", antialias=True,
                align_corners=False,
            )  # fmt: skip
        high, long = max(8, round(INPUT_HEIGHT * sharpness)), max(8, round(width * sharpness))
        y, x = torch.meshgrid(
            torch.linspace(-0.5, 0.5, high, device=self.device),
            torch.linspace(0, 1, long, device=self.device),
            indexing="ij",
        )
        one = (size, 1, 1)
        stretch = self.uniform(0.78, 1.28, *one)
        taller = self.uniform(0.85, 1.15, *one)
        length = wide.float().view(*one) + 1
        along = x * width / scale / stretch - self.uniform(-2, 14, *one)
        across = y * INPUT_HEIGHT / scale * taller
        along = along + across * (self.uniform(-0.12, 0.12, *one) + 0.2 * (self.uniform(0, 1, *one) < 0.04))
        share = along / length - 0.5
        slope = self.uniform(-3, 3, *one) * share + self.uniform(-1.5, 1.5, *one) * (4 * share * share - 0.3)
        across = across * (1 + self.uniform(-0.07, 0.07, *one) * share) + slope + self.uniform(-4.5, 4.5, *one)
        middle = 60 + BASELINE - CAPITAL / 2
        grid = torch.stack([along / (across_all / 2) - 1, (across + middle) / (height / 2) - 1], -1)
        return F.grid_sample(canvas, grid, mode="bilinear", padding_mode="zeros", align_corners=False)


def _pool(script: str, count: int, seed: int, device: torch.device) -> Pool:
    chance = random.Random(seed)
    drawn = {token: at for at, token in enumerate(texts.tokens_of(script))}
    named = {letter: at for at, letter in enumerate(outputs(), 1)}
    own = {letter: named[letter] for letter in outputs()}
    tokens = np.full((count, texts.LONGEST), -1, np.int64)
    letters = np.zeros((count, LONGEST_TEXT), np.int64)
    lengths = np.zeros(count, np.int64)
    for row in range(count):
        line = texts.line(script, chance)
        tokens[row, : len(line)] = [-2 if token == SPACE else drawn[token] for token in line]
        told = [own[letter] for token in line for letter in token]
        letters[row, : len(told)] = told
        lengths[row] = len(told)
    return Pool(*(torch.from_numpy(one).to(device) for one in (tokens, letters, lengths)))

"""The recapture network: one number for one square of a picture, above 0 when it shows a picture of a picture."""

from torch import Tensor, nn

from training.marking import Residual, step

WIDTHS = (24, 48, 96, 128, 160)
DEPTHS = (0, 1, 1, 2, 1)


class RecaptureNetwork(nn.Module):
    """RGB from −1 to 1, any square → one logit. The first layer keeps the resolution: the grid of a screen is fine."""

    def __init__(self) -> None:
        super().__init__()
        layers: list[nn.Module] = []
        before = 3
        for number, (width, depth) in enumerate(zip(WIDTHS, DEPTHS, strict=True)):
            layers += [step(before, width, 1 if number == 0 else 2), *(Residual(width) for _ in range(depth))]
            before = width
        self.layers = nn.Sequential(*layers)
        self.head = nn.Conv2d(before, 1, 1)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.layers(x).mean((2, 3), keepdim=True)).flatten(1)[:, 0]

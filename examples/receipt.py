"""Draw a receipt and ask a Clef model about the picture: python examples/receipt.py MODEL"""

import sys

from PIL import Image, ImageDraw, ImageFont

import clef_mlx

LINES = [
    ("CAFE LUNA", ""),
    ("12 May 2026  09:41", ""),
    ("", ""),
    ("2 x Espresso", "5.00"),
    ("1 x Croissant", "2.80"),
    ("1 x Orange juice", "4.20"),
    ("", ""),
    ("TOTAL EUR", "12.00"),
    ("Paid by card", "12.00"),
    ("", ""),
    ("Thank you!", ""),
]


def draw_receipt() -> Image.Image:
    """A white slip with one line of text for each of ``LINES``."""
    image = Image.new("RGB", (384, 40 + 36 * len(LINES)), "white")
    draw, font = ImageDraw.Draw(image), ImageFont.load_default(size=24)
    for number, (left, right) in enumerate(LINES):
        top = 20 + 36 * number
        draw.text((20, top), left, fill="black", font=font)
        draw.text((364, top), right, fill="black", font=font, anchor="ra")
    return image


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit("usage: python examples/receipt.py MODEL")
    clef = clef_mlx.load(sys.argv[1])
    receipt = draw_receipt()
    result = clef.decide(
        "The picture is a receipt that an employee handed in.",
        {
            "kind": clef_mlx.Choice(
                "What was bought?",
                {"meal": "Food and drinks", "travel": "Tickets and fuel", "office": "Supplies"},
            ),
            "paid": clef_mlx.Noul("Was the receipt paid by card?"),
            "amount": clef_mlx.Score(
                "How high is the total?", ["below 10 EUR", "10 to 50 EUR", "above 50 EUR"]
            ),
        },
        images=[receipt],
    )
    width, height = receipt.size
    print(f"{width} x {height} pixels are {clef.media_tokens(images=[receipt])} tokens")
    print(f"kind    {result['kind'].choice} ({result['kind'].confidence:.2f})")
    print(f"paid    {result['paid'].noul:.2f}")
    print(f"amount  {result['amount'].score:.2f} of 2")


if __name__ == "__main__":
    try:
        main()
    except clef_mlx.ClefError as error:
        sys.exit(str(error))

"""How a number is printed, the same in charts, tables and sentences.

What is missing or undefined is an en dash, a minus is U+2212, and a rounded zero has no sign.
"""

import math

MINUS = "\N{MINUS SIGN}"
MISSING = "\N{EN DASH}"
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def cosine_text(cosine: float | None) -> str:
    """A cosine, or a difference of cosines, to three decimals.

    >>> cosine_text(-0.1234), cosine_text(-0.0001), cosine_text(None)
    ('−0.123', '0.000', '–')
    """
    return MISSING if _missing(cosine) else f"{cosine:z.3f}".replace("-", MINUS)


def signed_text(difference: float | None) -> str:
    """A difference to three decimals, its sign always shown unless it rounds to zero.

    >>> signed_text(0.25), signed_text(-0.25), signed_text(0.0)
    ('+0.250', '−0.250', '0.000')
    """
    text = cosine_text(difference)
    return text if text in {MISSING, "0.000"} or text.startswith(MINUS) else f"+{text}"


def norm_text(norm: float | None) -> str:
    """A norm, or any positive scale-free quantity, to four significant digits.

    Powers of ten appear below 0.0001 and from a million on, where zeros would have to be counted.

    >>> norm_text(3.14159), norm_text(12345.6), norm_text(0.0000123456)
    ('3.142', '12,350', '1.235×10⁻⁵')
    """
    if norm is None or _missing(norm):
        return MISSING
    mantissa, exponent = f"{norm:.3e}".split("e")
    power = int(exponent)
    if norm == 0 or -4 <= power < 6:
        text = f"{float(f'{norm:.3e}'):,.{max(0, 3 - power)}f}"
    else:
        text = f"{mantissa}×10{str(power).translate(_SUPERSCRIPTS)}"
    return text.replace("-", MINUS)


def count_text(count: float | None) -> str:
    """A whole number with commas between thousands.

    >>> count_text(128256), count_text(None)
    ('128,256', '–')
    """
    return MISSING if _missing(count) else f"{count:,.0f}".replace("-", MINUS)


def share_text(share: float | None) -> str:
    """A share in [0, 1] as a percentage to three significant digits.

    >>> share_text(0.12345), share_text(0.00001234), share_text(1.0)
    ('12.3 %', '0.00123 %', '100 %')
    """
    if share is None or _missing(share):
        return MISSING
    decimals = 0 if share == 0 else max(0, 2 - math.floor(math.log10(abs(100 * share))))
    return f"{100 * share:.{decimals}f} %"


def p_value_text(p_value: float | None) -> str:
    """A p-value to two significant digits, never rounded to 0.

    >>> p_value_text(0.0001), p_value_text(1 / 3), p_value_text(None)
    ('0.0001', '0.33', '–')
    """
    return MISSING if p_value is None or _missing(p_value) else f"{p_value:.2g}"


def _missing(value: float | None) -> bool:
    return value is None or not math.isfinite(value)

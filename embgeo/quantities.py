"""Quantities in words that a person reads at a glance."""


def bytes_text(count: float) -> str:
    """Bytes in decimal units, three digits, as disks and networks are measured.

    >>> bytes_text(812), bytes_text(154_389_504), bytes_text(1_050_673_152)
    ('812 bytes', '154 MB', '1.05 GB')
    """
    if count < 1000:
        return f"{count:.0f} bytes"
    for unit in ("kB", "MB", "GB"):
        count /= 1000
        if count < 999.5 or unit == "GB":
            break
    decimals = 2 if count < 9.995 else 1 if count < 99.95 else 0
    return f"{count:.{decimals}f} {unit}"

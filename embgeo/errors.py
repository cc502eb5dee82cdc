"""The errors a person can meet; anything else that is raised is a bug and stays loud."""


class EmbgeoError(Exception):
    """Base of all expected errors: its text says what was found and what to do next."""


class SourceError(EmbgeoError):
    """A source cannot be found, is not allowed here, or is not something embgeo reads."""


class CheckpointError(EmbgeoError):
    """A checkpoint was found, but its embedding table cannot be read from it."""


class VocabularyError(EmbgeoError):
    """A tokenizer is missing, unreadable, or was asked for something it cannot do."""


class ShapeError(EmbgeoError):
    """There are too few or too many rows for what was asked."""

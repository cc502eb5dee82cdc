"""Tables and metrics joined: what pages, the command line and notebooks show."""

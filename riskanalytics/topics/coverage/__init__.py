"""Coverage: how much of the data is verified, how old it is, and what nothing was found on."""

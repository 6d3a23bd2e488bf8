"""What handlers share: what a request asks for, how its answer is built, remembered and described."""

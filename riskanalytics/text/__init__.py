"""Text for people: numbers, lists, spellings, words of pages, and hidden characters of untrusted text."""

"""Helpers for text: wording, spellings, arguments that people type, the words of a page, and untrusted text."""

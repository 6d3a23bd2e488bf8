"""Ratings of platforms: their mix, their course, who moved, and how one rating is made up."""

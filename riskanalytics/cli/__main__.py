"""`python -m riskanalytics.cli`: the commands where the script is not on the path."""

from riskanalytics.cli import main

if __name__ == "__main__":
    main()

"""Run the commands as `python -m riskanalytics.cli`, if the script is not on the path."""

from riskanalytics.cli import main

if __name__ == "__main__":
    main()

"""The client: one method per endpoint of the specification, against any server that follows it."""

from riskanalytics.client.client import Client
from riskanalytics.client.layouts import Json, Problem, Problems, Query
from riskanalytics.client.walk import PAGE

__all__ = ["PAGE", "Client", "Json", "Problem", "Problems", "Query"]

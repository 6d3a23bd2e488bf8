"""The door: what a request passes before and after its handler.

The connection it comes on, the gate that asks who it is and whether its pace allows it, the places where work waits its
turn, and the envelope and the error documents that every answer goes out in.
"""

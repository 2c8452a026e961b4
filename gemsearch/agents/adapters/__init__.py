"""One module for each form of hooks: `event_of` reads a payload, `answer_to` writes the answer.

`event_of` gives None for an event that is not ours, and raises nothing for whatever is missing or
of another type. `answer_to` gives what goes to standard output; an agent that has no way to say a
thing is told nothing.
"""

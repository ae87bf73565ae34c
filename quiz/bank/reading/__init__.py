"""Reading the chapter: a section in its parts, how long it takes, and how far each person is."""

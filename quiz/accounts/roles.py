"""The three roles, as groups. Their permissions are given by the post_migrate handler in `permissions`."""

CANDIDATE = "candidate"
INSTRUCTOR = "instructor"
GRADER = "grader"

ROLES = (CANDIDATE, INSTRUCTOR, GRADER)
DESK_ROLES = (INSTRUCTOR, GRADER)

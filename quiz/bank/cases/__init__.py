"""Cases: evidence step by step, and after each the choice of what to do next, with its consequence."""

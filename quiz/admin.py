"""Django's index of the features' admin pages."""

"""What other programs load: the plugin for apps, and the plugin for pytest."""

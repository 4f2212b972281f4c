"""Files of eval cases in the browser: listed, checked, replayed and edited."""

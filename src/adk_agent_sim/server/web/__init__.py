"""The web application and its server: routes, errors and pages, without the features themselves."""

"""The page that the person being verified meets: files for the browser, and how they are served."""

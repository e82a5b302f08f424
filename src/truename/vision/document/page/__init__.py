"""Where is the page in the picture, how good is it, and where is its portrait?"""

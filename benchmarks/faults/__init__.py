"""Kill everything at random while transactions run, then read the whole history: was anything lost or said twice?"""

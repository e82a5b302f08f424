"""Did a living person stand before the camera?"""

"""Trinity-RFT as workflows and reward functions see it, for debugging: no GPU, no torch, no Ray."""

"""Head to head: which estimate of which metric can be trusted, and which model should be picked. Beyond the papers."""

"""The Python process of a run: workflows and judges that are Python run here; everything else is the backbone's."""

"""The steps of a run, and how they are called: in this process, or as Prefect tasks."""

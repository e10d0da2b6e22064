"""The data sets of the paper in the forms in which they are distributed, and a person's own folder, as documents."""

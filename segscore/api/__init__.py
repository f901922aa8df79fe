"""The public Python interface; everything in it is an attribute of `segscore`."""

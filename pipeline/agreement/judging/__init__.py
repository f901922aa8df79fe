"""Judge coders one by one: who agrees less, copies, is late, marks more, or drifts."""

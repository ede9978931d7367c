"""The methods of `Model`, one subject a file: functions of a model, which the class names among its own."""

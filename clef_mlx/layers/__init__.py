"""The backbone's layers, one idea a module. Pure: nothing here evaluates or picks a device."""

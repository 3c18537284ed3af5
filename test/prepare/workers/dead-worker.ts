throw new Error('no such library');

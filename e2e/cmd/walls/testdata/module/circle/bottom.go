package circle

const bottom = 1

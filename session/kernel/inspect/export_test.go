package inspect

// JuliaString is for the tests with a real Julia.
var JuliaString = juliaString

// Package seeds checks the program against its five contracts, line by line.
//
// A contract is called a seed: the resources of notebooks (000), Datalayer's architecture (001), the tools of rooms
// (002), the requirements of analysis (003), and the resources of context (004). table.txt has their lines: the
// requirement, its state, its check, and for the few that are not met, the replacement and the reason.
//
// A check is a function of this package, which runs the built program as a client does and reports a result for each
// line, or a test elsewhere in the repository, which the table names as "package.Test". [TestTable] of the tests runs
// the former, and fails for a line with state holds or differs that no check has covered.
//
// The checks use a fake Jupyter server, or a real one if the environment says so, as in package jupytertest.
package seeds

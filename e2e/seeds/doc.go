// Package seeds holds the program against the five contracts that it was built to, line by line.
//
// A contract is called a seed: the resources of notebooks (000), Datalayer's architecture (001), the tools of rooms (002),
// the requirements of analysis (003), and the resources of context (004). table.txt has their lines: what each asks for,
// whether it holds, which check says so, and of the few that do not hold, what there is instead and why.
//
// A check is a function of this package, which runs the built program as a client does and says of each line what it
// found, or, where the table names one as "package.Test", a test elsewhere in the repository. [TestTable] of the tests runs
// the former, and fails for a line that says it holds, or differs in the way told, and that no check has looked at.
//
// The checks meet a fake Jupyter server, or a real one where the environment wants that, as in package jupytertest.
package seeds

// Package project reads project.yaml, in which people describe their project, and adds to it.
//
// The file names the project, its technology, its architecture and its modules:
//
//	project: {name: Shop, type: fullstack, path: /srv/shop}
//	tech: {stack: [python, duckdb], runtime: CPython 3.13, packageManager: uv}
//	architecture: {pattern: pipeline, description: Raw files in, one model out.}
//	modules:
//	  - name: load
//	    description: Reads the raw files.
//	    keyFiles:
//	      - {path: load.ipynb, role: entry, description: Run it first.}
//	    patterns:
//	      - One function for each source.
//	    businessRules:
//	      - Prices are net.
//	    commonIssues:
//	      - {description: Dates are text, solution: "parse_dates=[0]", discoveredAt: 2026-01-15, sessionId: ab12}
//	    dependencies: [clean]
//
// Everything is optional. People write it in other ways, too: modules as a map by name, one text where a list is expected,
// key files as paths, a title alone as the project. Unreadable parts are left out, and [Project.Notes] reports them.
//
// [Add] puts a line or two into the text of the file and leaves every other byte unchanged, including comments and order.
//
// Everything here is a pure function and safe for concurrent use.
package project

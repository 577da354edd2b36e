// Package packages holds the tests of what a release consists of: wheels, npm
// packages, archives, deb and rpm, bundles, and the files that registries read.
// A release is made here as it is made there, by GoReleaser with its own
// configuration, of a clone with a tag, for this machine alone; what it made is
// installed, and started with a real JupyterLab.
package packages

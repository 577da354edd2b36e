// Package service is the folder of services that work with open documents, and on which documents do not depend: analysis
// sessions with a kernel (analysis), files and folders (files), previews of data files in a kernel of the program
// (filepreview), text in notebooks (search), and mentions in chats (chatwatch).
//
// They import session and the packages below it. Tools get them through tools/deps.
//
// Start from analysis.Table, files.Files, filepreview.Helper, chatwatch.Chats or search.Notebooks: one of each for a
// manager.
package service

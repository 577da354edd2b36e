package faults

// A Code names a fault, for programs.
type Code string

// The faults. Each has its row in the table.
const (
	NoServer           Code = "no_server"            // none runs on this machine
	SeveralServers     Code = "several_servers"      // more than one runs
	NotThere           Code = "not_there"            // the connection is refused, or the name unknown
	Busy               Code = "busy"                 // no answer in time
	NotJupyter         Code = "not_jupyter"          // another program answers, or the prefix is wrong
	HTTPNotHTTPS       Code = "http_not_https"       // the address has https, the server speaks http
	HTTPSNotHTTP       Code = "https_not_http"       // the reverse
	PrivateCA          Code = "private_ca"           // no trusted authority has signed the certificate
	CertificateExpired Code = "certificate_expired"  // or it is not valid yet
	CertificateName    Code = "certificate_name"     // it is for another host
	CAFile             Code = "ca_file"              // the CA file is invalid
	WrongToken         Code = "wrong_token"          //
	Password           Code = "password"             // the server has a password and no token, and none was given
	WrongPassword      Code = "wrong_password"       // the given password is wrong
	OtherPage          Code = "other_page"           // a proxy's page, such as a login, answers in place of the server
	HubStopped         Code = "hub_stopped"          // JupyterHub answers for a stopped server
	HubServerStopped   Code = "hub_server_stopped"   // and reports it; the token may start it
	HubCannotStart     Code = "hub_cannot_start"     // the same, and the token may not
	HubStarting        Code = "hub_starting"         // the server is starting
	HubUnknownToken    Code = "hub_unknown_token"    // JupyterHub does not know the token
	HubScope           Code = "hub_scope"            // the token lacks a scope
	ProxyWithoutServer Code = "proxy_without_server" // a proxy answers, but its server does not
	WebsocketsEaten    Code = "websockets_eaten"     // a proxy passes requests, but not websockets
	NoCollaboration    Code = "no_collaboration"     // jupyter-collaboration is missing, or switched off
	OldCollaboration   Code = "old_collaboration"    // it is too old
	TabsApart          Code = "tabs_apart"           // disable_rtc: people's tabs do not use rooms
	NoKernel           Code = "no_kernel"            // a kernel cannot be started
	DiskFull           Code = "disk_full"            // of the server
	PortInUse          Code = "port_in_use"          // the port of --port
	GatewayAway        Code = "gateway_away"         // the gateway that runs the server's kernels does not answer
)

// A row is the text of a fault: what is wrong, and what to do. The words in braces are replaced, see [Values].
type row struct {
	code       Code
	wrong, fix string
}

var table = []row{
	{
		NoServer, "no Jupyter server runs on this machine as this user",
		"start one with `nbduet up`, or with `jupyter lab`, and call again, or start nbduet with the address of another in {url} and its token in {token}",
	},
	{
		SeveralServers, "several Jupyter servers run on this machine: {detail}",
		"choose one: start nbduet with its address in {url}, or stop the others and call again",
	},
	{
		NotThere, "no connection{to address}: {detail}",
		"is Jupyter running there? Start it with `jupyter lab`, or set {url} to where it runs",
	},
	{
		Busy, "no answer in time{from address}",
		"the server may be busy or hung: wait and call again, or see its log",
	},
	{
		NotJupyter, "no Jupyter server API answers{at address}",
		"check that {url} is the server's whole base URL (http or https, host, port and prefix), and that the needed extension is installed",
	},
	{
		HTTPNotHTTPS, "the server{at address} speaks http, not https",
		"set {url} to an address that begins with http://",
	},
	{
		HTTPSNotHTTP, "the server{at address} speaks https, not http",
		"set {url} to an address that begins with https://",
	},
	{
		PrivateCA, "the certificate of the server{at address} is signed by an authority that this machine does not know",
		"name the file (PEM) with that authority's certificate, or with the server's own, in {ca}",
	},
	{
		CertificateExpired, "the certificate of the server{at address} has expired or is not valid yet",
		"renew it and start Jupyter again, and check the clock of this machine",
	},
	{
		CertificateName, "the certificate of the server{at address} is for another host: {detail}",
		"use a host name of the certificate in {url}, or make a certificate for this host",
	},
	{
		CAFile, "{detail}",
		"name a file (PEM) that begins with -----BEGIN CERTIFICATE----- in {ca}",
	},
	{
		WrongToken, "the token is wrong or missing",
		"set {token} to this server's token, as `jupyter server list` shows it",
	},
	{
		Password, "the server takes a password and has no token",
		"set JUPYTER_PASSWORD, or JUPYTER_PASSWORD_FILE to a file with it (--password-file), or start Jupyter with a token and set {token} to the same",
	},
	{
		WrongPassword, "the password is wrong",
		"set JUPYTER_PASSWORD (--password-file) to the password of the login page",
	},
	{
		OtherPage, "a web page answers{at address} instead of the server: {detail}",
		"it comes from a proxy or network: let it pass on requests with Jupyter's token, or set {url} to the server's own address",
	},
	{
		HubStopped, "JupyterHub answers instead of the server, which is not running or is another user's",
		"check in the hub's control panel that the server is started, and that {token} is a token of its user",
	},
	{
		HubServerStopped, "{detail} is not running on JupyterHub: it was never started, or was stopped (hubs stop idle servers)",
		"start it at {address}, or call again with \"start_server\": true, which starts it",
	},
	{
		HubCannotStart, "{detail} is not running on JupyterHub: it was never started, or was stopped (hubs stop idle servers)",
		"start it at {address}",
	},
	{
		HubStarting, "JupyterHub is starting {detail}",
		"call again in some seconds, or with \"start_server\": true, which waits until it runs",
	},
	{
		HubUnknownToken, "JupyterHub does not know the token: it is wrong, has expired or was revoked, or its user was removed",
		"make one at {address}, and set {token} to it",
	},
	{
		HubScope, "JupyterHub refuses the token for this server: {detail}",
		"make one with that scope at {address}, and set {token} to it; access to another user's server is granted by its owner or an admin",
	},
	{
		ProxyWithoutServer, "a proxy answers, but its Jupyter server does not",
		"start it (on a JupyterHub: in the hub's control panel)",
	},
	{
		WebsocketsEaten, "requests reach the server{at address}, but websockets do not: a proxy drops them",
		"let it pass on the headers Upgrade and Connection (nginx: proxy_http_version 1.1), or set {url} to the server's own address",
	},
	{
		NoCollaboration, "the server has no real-time collaboration",
		"install it beside JupyterLab (pip install jupyter-collaboration), check that it is not disabled, and restart Jupyter",
	},
	{
		OldCollaboration, "the server's real-time collaboration is too old: {detail}",
		"update: pip install -U jupyterlab jupyter-collaboration, and restart Jupyter",
	},
	{
		TabsApart, "real-time collaboration is switched off for people's tabs (disable_rtc on the Jupyter server): they do not show these edits until they load the file again, and their saves can overwrite them",
		"remove disable_rtc from the server's settings, and restart Jupyter",
	},
	{
		NoKernel, "the server cannot start this kernel",
		"check that `jupyter kernelspec list` has it and that its Python has ipykernel (pip install ipykernel); see the server's log",
	},
	{
		DiskFull, "the disk of the Jupyter server is full",
		"make room there, and try again",
	},
	{
		PortInUse, "{detail} already listens{at address}",
		"give another port with --port (0 picks a free one), or stop that program",
	},
	{
		GatewayAway, "the gateway for the kernels of the Jupyter server{at address} does not answer",
		"check that it runs and that the Jupyter server was started with its address (--gateway-url); meanwhile no code runs, but notebooks can be read and edited",
	},
}

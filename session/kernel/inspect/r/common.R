# What all inspections share: what can be known of an object without running code of its class, short texts, and JSON.
#
# All of this runs in an environment of its own, whose parent is R's base: the user's names hide nothing of it, and no
# name of it can be met by the user. Generic functions are not used on the user's objects, so that no method of theirs
# is run: what is read is unclassed before. Nothing here may raise, as the kernel drops all that waits after an error.
FEW <- 1e5
MANY <- 2e6
MOST <- 5e7
late <- proc.time()[[3]] + question$seconds
cuts <- 0
dots <- "\u2026"

refuse <- function(code, ...) stop(structure(class = c("refused", "error", "condition"), list(message = paste0(...), call = NULL, code = code)))
attempt <- function(expr, otherwise) tryCatch(suppressWarnings(expr), refused = stop, error = function(e) otherwise)
is_late <- function() proc.time()[[3]] > late

clean <- function(s) {
  if (Encoding(s) == "bytes") Encoding(s) <- "UTF-8"
  s <- enc2utf8(s)
  if (validUTF8(s)) s else iconv(s, "UTF-8", "UTF-8", sub = "\uFFFD")
}

# At most so many characters of a text, NA for NA.
cut_text <- function(s, most) {
  if (is.na(s)) return(NA_character_)
  bytes <- nchar(s, "bytes")
  if (bytes <= most) return(clean(s))
  head <- if (bytes > 4 * most) beginning(s, 4 * most) else s
  head <- attempt(substr(head, 1, most), substr(clean(head), 1, most))
  if (nchar(head, "bytes") >= bytes) return(clean(head))
  cuts <<- cuts + 1
  paste0(clean(head), dots)
}

# So many bytes of a text, less what is left of a character: R's own functions look at all of it.
beginning <- function(s, most) {
  bytes <- charToRaw(s)[seq_len(most)]
  head <- rawToChar(bytes)
  for (n in 0:3) {
    whole <- if (n) rawToChar(bytes[seq_len(most - n)]) else head
    if (validUTF8(whole)) {
      head <- whole
      break
    }
  }
  Encoding(head) <- Encoding(s)
  head
}

classes <- function(v) {
  k <- class(v)
  if (is.character(k) && length(k) && !is.na(k[1])) unclass(k) else typeof(v)
}
type_of <- function(v) cut_text(classes(v)[1], 200)
is_a <- function(v, what) any(what %in% classes(v))
is_frame <- function(v) is.list(v) && is_a(v, "data.frame")
bare <- function(v) if (is.object(v)) unclass(v) else v
size_n <- function(v) length(bare(v))
many <- function(n, what) paste0(whole(n), " ", what, if (n != 1) "s")
whole <- function(n) sprintf("%.0f", n)
frame_rows <- function(v) abs(as.double(.row_names_info(v, 2L)))

# How large a value is, in words: NULL where there is nothing to say.
size_of <- function(v) {
  v <- as_moment(v)
  if (is_frame(v)) return(paste0(whole(frame_rows(v)), " rows \u00d7 ", whole(size_n(v)), " cols"))
  if (is.environment(v)) return(many(length(ls(v, all.names = TRUE, sorted = FALSE)), "name"))
  if (isS4(v)) return(many(length(setdiff(names(attributes(v)), "class")), "slot"))
  if (is.null(v)) return(NULL)
  if (is.function(v) || is.language(v) || !is.vector(v) && !is.atomic(v) && !is.list(v)) return(weight(v))
  dims <- attr(v, "dim", exact = TRUE)
  if (is.numeric(dims)) return(paste(paste(whole(dims[seq_len(min(10, length(dims)))]), collapse = " \u00d7 "), typeof(v)))
  if (is.character(v) && size_n(v) == 1 && !is.na(bare(v))) {
    bytes <- nchar(bare(v), "bytes")
    n <- if (bytes <= 1e6) attempt(nchar(bare(v), "chars"), NA)
    return(if (is.null(n) || is.na(n)) many(bytes, "byte") else many(n, "character"))
  }
  many(size_n(v), "item")
}

# The bytes of an object of which there is nothing else to count, as object.size has it, without a function's environment.
# That goes into all of it and cannot be ended, so it is first looked how much there is to go into.
NODES <- 1e4
weight <- function(v) {
  left <- NODES
  spend <- function(n) {
    left <<- left - n
    if (left < 0) stop("too many")
  }
  visit <- function(x, depth) {
    if (!depth) stop("too deep")
    spend(if (is.character(x)) 1 + size_n(x) else 1)
    if (is.function(x)) {
      if (!is.primitive(x)) each(list(formals(x), body(x)), depth)
    } else if (is.list(x) || is.pairlist(x) || is.language(x) && !is.symbol(x)) {
      each(x, depth)
    }
    more <- attributes(x)
    if (!is.null(more)) each(more, depth)
  }
  each <- function(x, depth) {
    if (size_n(x) > left) spend(size_n(x))
    x <- as.list.default(bare(x))
    # A symbol may be the empty one, which nothing can be called with.
    for (i in seq_along(x)) if (is.symbol(.subset2(x, i))) spend(1) else visit(.subset2(x, i), depth - 1)
  }
  if (is_late() || !isNamespaceLoaded("utils")) return(NULL)
  if (is.null(attempt({ visit(v, 100); TRUE }, NULL))) return(if (left < 0) paste("more than", many(8 * NODES, "byte")))
  attempt(many(as.double(unclass(getExportedValue("utils", "object.size")(v))), "byte"), NULL)
}

# A plain value as JSON has it, else `nothing`.
nothing <- new.env(parent = emptyenv())
scalar <- function(v, most) {
  if (is.null(v)) return(NA)
  if (is.object(v) || length(v) != 1 || !is.null(attr(v, "dim", exact = TRUE))) return(nothing)
  switch(typeof(v), logical = , integer = , double = number(as.vector(v)), complex = paste(v), character = cut_text(as.vector(v), most), nothing)
}
# JSON has no form of infinity. What is missing is null.
number <- function(v) if (is.double(v) && !is.finite(v) && (is.nan(v) || !is.na(v))) paste(v) else v

# The bindings of an environment. A promise is not forced and the function of an active binding is not called.
lazy <- function(names, env) {
  out <- logical(length(names))
  if (length(names) && isNamespaceLoaded("rlang")) out <- attempt(as.vector(getExportedValue("rlang", "env_binding_are_lazy")(env, names)), out)
  out
}
active <- function(names, env) vapply(names, function(n) bindingIsActive(as.name(n), env), NA, USE.NAMES = FALSE)
held <- function(name, env) get(name, envir = env, inherits = FALSE)

# Code of R's own that shows one value; lists and vectors of any length are cut.
short <- function(v, most, depth = 4) {
  v <- as_moment(v)
  if (is.null(v)) return("NULL")
  if (is.environment(v)) return(paste0("<environment: ", size_of(v), ">"))
  if (is_frame(v)) return(paste0("<", type_of(v), ": ", size_of(v), ">"))
  if (isS4(v)) return(paste0("<S4 object of class ", type_of(v), ">"))
  if (is.function(v) || is.language(v)) return(code(v, most))
  if (is.list(v) || is.expression(v)) return(several(v, bare(v), most, depth, "list(", ")"))
  if (!is.atomic(v)) return(paste0("<", typeof(v), ">"))
  n <- size_n(v)
  if (n == 1 && is.null(names(bare(v)))) return(literal(v, 1, most))
  k <- if (is_a(v, "factor")) "factor(" else if (is.object(v)) paste0(type_of(v), "(") else if (n) "c(" else paste0(typeof(v), "(")
  several(v, v, most, depth, k, ")")
}
literal <- function(v, i, most) {
  x <- cell(v, i, most)
  if (is.na(x)) return("NA")
  if (is.character(x) && (is.character(v) || is_a(v, "factor"))) encodeString(x, quote = "\"") else if (is.logical(x)) as.character(x) else paste(x)
}
code <- function(v, most) {
  lines <- attempt(deparse(v, width.cutoff = 80L, nlines = 200L), paste0("<", typeof(v), ">"))
  if (length(lines) == 200) cuts <<- cuts + 1
  cut_text(paste(lines, collapse = "\n"), most)
}
several <- function(v, items, most, depth, left, right) {
  n <- size_n(v)
  if (n && depth <= 0) {
    cuts <<- cuts + 1
    return(paste0(left, dots, right))
  }
  tags <- names(if (is.atomic(v)) bare(v) else items)
  out <- character()
  long <- 0
  for (i in seq_len(min(n, 100))) {
    if (long >= most || is_late()) break
    room <- max(most - long, 20)
    text <- attempt(if (is.atomic(v)) literal(v, i, room) else short(.subset2(items, i), room, depth - 1), "?")
    if (!is.null(tags) && !is.na(tags[i]) && nzchar(tags[i])) text <- paste(cut_text(tags[i], 100), "=", text)
    out[i] <- text
    long <- long + nchar(text) + 2
  }
  if (n > length(out)) {
    cuts <<- cuts + 1
    out <- c(out, paste(dots, whole(n - length(out)), "more"))
  }
  paste0(left, paste(out, collapse = ", "), right)
}

# The i-th value of a vector or column, as JSON has it; NA for all that is missing.
cell <- function(v, i, most) {
  v <- as_moment(v)
  if (is.list(v)) {
    x <- .subset2(v, i)
    s <- scalar(x, most)
    return(if (identical(s, nothing)) short(x, most, 2) else s)
  }
  x <- plain(v, i)
  switch(typeof(x), character = cut_text(x, most), double = number(x), logical = , integer = x, paste(x))
}

# Some values of a vector, without its class: what R's own classes mean by them, and the numbers or texts of others.
plain <- function(v, which) {
  v <- as_moment(v)
  x <- as.vector(bare(v)[which])
  if (is.object(v)) attempt(meant(v, x), x) else x
}
as_moment <- function(v) if (is.list(v) && is_a(v, "POSIXlt")) attempt(as.POSIXct.POSIXlt(v), bare(v)) else v
meant <- function(v, x) {
  if (is_a(v, "factor")) return(attr(v, "levels", exact = TRUE)[as.integer(x)])
  if (is_a(v, "Date")) return(format.Date(structure(x, class = "Date"), "%Y-%m-%d"))
  if (is_a(v, "POSIXct")) {
    zone <- attr(v, "tzone", exact = TRUE)
    zone <- if (is.character(zone) && length(zone)) zone[1] else ""
    return(format.POSIXct(structure(x, class = c("POSIXct", "POSIXt")), "%Y-%m-%dT%H:%M:%S%z", tz = zone))
  }
  if (is_a(v, "difftime")) {
    units <- attr(v, "units", exact = TRUE)
    return(ifelse(is.na(x), NA_character_, paste(x, if (is.character(units)) units[1])))
  }
  if (is_a(v, "integer64") && is.double(x)) wide(x) else x
}

# Integers of 64 bits, which the package bit64 keeps in the bits of a double.
wide <- function(x) {
  words <- as.double(readBin(writeBin(x, raw(), endian = "little"), "integer", 2 * length(x), endian = "little"))
  words[is.na(words)] <- -2^31
  low <- words[c(TRUE, FALSE)] %% 2^32
  high <- words[c(FALSE, TRUE)]
  ifelse(high == -2^31 & low == 0, NA_real_, high * 2^32 + low)
}

# JSON: a list with names is an object, one without an array, NA is null.
json <- function(v) {
  if (is.list(v)) {
    parts <- vapply(v, json, "", USE.NAMES = FALSE)
    if (is.null(names(v))) return(paste0("[", paste(parts, collapse = ","), "]"))
    return(paste0("{", paste(vapply(names(v), quoted, ""), parts, sep = ":", collapse = ","), "}"))
  }
  if (is.null(v) || is.na(v)) return("null")
  if (is.logical(v)) return(if (v) "true" else "false")
  if (is.character(v)) return(quoted(v))
  if (!is.finite(v)) return(quoted(paste(v)))
  s <- sprintf("%.15g", v)
  if (as.double(s) == v) s else sprintf("%.17g", v)
}
quoted <- function(s) {
  s <- clean(s)
  if (grepl("[[:cntrl:]\"\\\\]", s)) {
    points <- utf8ToInt(s)
    parts <- intToUtf8(points, multiple = TRUE)
    odd <- points < 32 | points %in% c(34, 92, 127)
    parts[odd] <- sprintf("\\u%04x", points[odd])
    s <- paste(parts, collapse = "")
  }
  paste0("\"", s, "\"")
}
object <- function(names, values) structure(values, names = names)
entries <- function(x) lapply(seq_along(x), function(i) x[[i]])

# The answer goes into the payload of the reply, which is for who asked alone. The executor is the object one of whose
# methods runs all this.
answer <- function(inspection) {
  out <- tryCatch(suppressWarnings(inspection()),
    refused = function(e) list(error = e$code, message = e$message),
    error = function(e) list(error = "failed", message = cut_text(conditionMessage(e), 200)),
    interrupt = function(e) list(error = "interrupted", message = "the inspection was interrupted"))
  for (frame in sys.frames()) {
    own <- parent.env(frame)
    if (is.null(own)) next
    self <- get0(".self", envir = own, inherits = FALSE)
    if (!is.null(self) && "Executor" %in% class(self) && exists("payload", envir = own, inherits = FALSE)) {
      assign("payload", list(list(source = "nbduet.inspection", answer = json(out))), envir = own)
      return(NULL)
    }
  }
}

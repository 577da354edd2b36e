# One table or column of one, or an error that says what is there instead.
inspection <- function() {
  v <- find(question$name)
  column <- NULL
  if (!is_frame(v)) {
    if (!grepl("$", question$name, fixed = TRUE) || !is.atomic(v) || is.null(v) || !is.null(attr(v, "dim", exact = TRUE)))
      refuse("not_a_dataframe", question$name, " is of type ", type_of(v), ", not a table")
    column <- sub(".*[$]", "", question$name)
  }
  c(list(name = question$name, type = type_of(v)), table_info(v, column))
}

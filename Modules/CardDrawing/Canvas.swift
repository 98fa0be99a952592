import CPango
import Interchange

/// One picture to draw on, in pixels from the upper left corner. It returns its file once, at the
/// end.
final class Canvas {
  let context: OpaquePointer
  let size: CardForm.Size
  private let surface: OpaquePointer
  private let format: CardForm.Format
  private let bytes = ByteSink()

  init(_ size: CardForm.Size, _ format: CardForm.Format) {
    (self.size, self.format) = (size, format)
    let (width, height) = (Double(size.width), Double(size.height))
    let sink = Unmanaged.passUnretained(bytes).toOpaque()
    surface =
      switch format {
      case .svg: cairo_svg_surface_create_for_stream(ByteSink.write, sink, width, height)
      case .pdf: cairo_pdf_surface_create_for_stream(ByteSink.write, sink, width, height)
      default:
        cairo_image_surface_create(CAIRO_FORMAT_RGB24, Int32(size.width), Int32(size.height))
      }
    context = cairo_create(surface)
    // Without hinting, letters have the positions of the layout at every size and in every format.
    let options = cairo_font_options_create()
    cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE)
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF)
    cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY)
    cairo_set_font_options(context, options)
    cairo_font_options_destroy(options)
  }

  deinit {
    cairo_destroy(context)
    cairo_surface_destroy(surface)
  }

  /// Sets the colour for the next drawing.
  func use(_ color: (red: Double, green: Double, blue: Double)) {
    cairo_set_source_rgb(context, color.red, color.green, color.blue)
  }

  /// Fills rectangles as one shape, so that no seam shows where two meet.
  func fill(_ rectangles: [Rectangle]) {
    for part in rectangles {
      cairo_rectangle(context, part.x, part.y, part.width, part.height)
    }
    cairo_fill(context)
  }

  /// Fills a rectangle whose narrower sides are round.
  func fillRound(_ part: Rectangle) {
    outline(part, radius: min(part.width, part.height) / 2)
    cairo_fill(context)
  }

  /// Adds the outline of a rectangle with round corners to the path.
  private func outline(_ part: Rectangle, radius: Double) {
    let (right, bottom) = (part.x + part.width - radius, part.y + part.height - radius)
    let (left, top) = (part.x + radius, part.y + radius)
    cairo_new_sub_path(context)
    cairo_arc(context, right, top, radius, -.pi / 2, 0)
    cairo_arc(context, right, bottom, radius, 0, .pi / 2)
    cairo_arc(context, left, bottom, radius, .pi / 2, .pi)
    cairo_arc(context, left, top, radius, .pi, .pi * 1.5)
    cairo_close_path(context)
  }

  /// Fills a rectangle with round corners, and the part of it at its left side in another colour.
  ///
  /// - Parameter edge: the colour of that part, and its width in pixels; nil for none.
  func fillPanel(_ part: Rectangle, radius: Double, edge: (color: Colors.Color, width: Double)?) {
    outline(part, radius: radius)
    guard let edge else { return cairo_fill(context) }
    cairo_save(context)
    cairo_fill_preserve(context)
    cairo_clip(context)
    use(edge.color)
    fill([Rectangle(x: part.x, y: part.y, width: edge.width, height: part.height)])
    cairo_restore(context)
  }

  /// Draws a bent arrow, which begins the rest of a line of code, in a rectangle.
  func drawArrow(_ part: Rectangle) {
    let (right, bottom) = (part.x + part.width, part.y + part.height)
    let head = part.height * 0.42
    cairo_move_to(context, part.x, part.y)
    cairo_line_to(context, part.x, bottom)
    cairo_line_to(context, right, bottom)
    cairo_move_to(context, right - head, bottom - head)
    cairo_line_to(context, right, bottom)
    cairo_line_to(context, right - head, bottom + head)
    cairo_set_line_width(context, max(1.5, part.height * 0.14))
    cairo_set_line_cap(context, CAIRO_LINE_CAP_ROUND)
    cairo_set_line_join(context, CAIRO_LINE_JOIN_ROUND)
    cairo_stroke(context)
  }

  /// Returns the file. Nothing can be drawn afterwards.
  ///
  /// - Throws: `CardError` with cairo's message.
  func finished() throws(CardError) -> [UInt8] {
    var status = cairo_status(context)
    if format == .png, status == CAIRO_STATUS_SUCCESS {
      let sink = Unmanaged.passUnretained(bytes).toOpaque()
      status = cairo_surface_write_to_png_stream(surface, ByteSink.write, sink)
    }
    cairo_surface_finish(surface)
    if status == CAIRO_STATUS_SUCCESS { status = cairo_surface_status(surface) }
    guard status == CAIRO_STATUS_SUCCESS else {
      throw CardError("cairo: \(String(cString: cairo_status_to_string(status)))")
    }
    return bytes.bytes
  }
}

/// A rectangle in pixels.
struct Rectangle: Hashable {
  var x: Double
  var y: Double
  var width: Double
  var height: Double
}

/// Collects the bytes that cairo writes.
private final class ByteSink {
  var bytes: [UInt8] = []

  /// A `cairo_write_func_t` whose closure is a `ByteSink`.
  static let write: cairo_write_func_t = { sink, data, count in
    guard let sink, let data else { return CAIRO_STATUS_WRITE_ERROR }
    Unmanaged<ByteSink>.fromOpaque(sink).takeUnretainedValue().bytes +=
      UnsafeBufferPointer(start: data, count: Int(count))
    return CAIRO_STATUS_SUCCESS
  }
}

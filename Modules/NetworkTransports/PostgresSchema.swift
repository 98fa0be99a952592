package import Sync

/// The schema `diple` of a PostgreSQL database, with Diple's tables and functions. They are used by
/// members of the role `diple_member`. Data is changed only by functions, and row-level security
/// shows members only their own vaults.
package enum PostgresSchema {
  /// Prepares a database: creates it if it is missing, installs missing versions of the schema, and
  /// creates missing roles. The user must be the owner of the database, or be allowed to create
  /// databases and roles.
  ///
  /// - Parameters:
  ///   - address: an address as in `PostgreSQL`.
  ///   - members: the roles that may use Diple's tables from now on. Existing members are kept.
  /// - Throws: `TransportError`; `.refused` if the user lacks a permission. Nothing is changed
  ///   then.
  package static func prepare(_ address: String, for members: [String]) throws(TransportError) {
    for member in members where !(1...63).contains(member.utf8.count) || member.utf8.contains(0) {
      throw TransportError(.usage, "the name of a role has 1 to 63 bytes")
    }
    let database = try PostgresSession.check(address)
    let session: PostgresSession
    do throws(TransportError) { session = try PostgresSession(address) } catch {
      guard error.kind == .absent, let database else { throw error }
      let server = try PostgresSession(address, database: "postgres")
      try server.script("CREATE DATABASE \(try quoted(database, server))")
      do throws(TransportError) {
        try install(try PostgresSession(address), for: members)
      } catch {
        // Delete the new database, which is still empty.
        try? server.script("DROP DATABASE \(try quoted(database, server))")
        throw error
      }
      return
    }
    try install(session, for: members)
  }

  /// Returns a name as an identifier of SQL.
  private static func quoted(_ name: String, _ session: PostgresSession) throws(TransportError)
    -> String
  {
    let row = try session.run("SELECT quote_ident($1::text)", [.text(name)]).first
    return String(decoding: row?[0] ?? [], as: UTF8.self)
  }

  static func install(_ session: PostgresSession, for members: [String] = []) throws(TransportError)
  {
    try session.script("BEGIN; SELECT pg_advisory_xact_lock(7133701809754865664);")
    do throws(TransportError) {
      for (index, migration) in migrations.enumerated() {
        let isThere = try session.run("SELECT to_regclass('diple.server')::text").first?[0] != nil
        let version =
          isThere ? try session.run("SELECT version::text FROM diple.server").first?[0] : nil
        if let version, Int(String(decoding: version, as: UTF8.self)) ?? 0 > index { continue }
        try session.script(migration)
        try session.script("UPDATE diple.server SET version = \(index + 1);")
      }
      for member in members {
        let role = try quoted(member, session)
        if try session.run("SELECT FROM pg_roles WHERE rolname = $1::text", [.text(member)]).isEmpty
        {
          try session.script("CREATE ROLE \(role) LOGIN")
        }
        let isMember = try session.run(
          """
          SELECT FROM pg_auth_members m JOIN pg_roles r ON r.oid = m.roleid
            JOIN pg_roles u ON u.oid = m.member
          WHERE r.rolname = 'diple_member' AND u.rolname = $1::text
          """, [.text(member)])
        if isMember.isEmpty { try session.script("GRANT diple_member TO \(role)") }
      }
      try session.script("COMMIT;")
    } catch {
      try? session.script("ROLLBACK;")
      throw error
    }
  }

  /// The scripts that upgrade the schema, one for each version.
  private static let migrations = [version1, version2]

  private static let version1 = #"""
    DO $$ BEGIN
      IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'diple_member') THEN
        CREATE ROLE diple_member NOLOGIN;
      END IF;
    END $$;
    CREATE SCHEMA diple;
    REVOKE ALL ON SCHEMA diple FROM PUBLIC;

    -- A single row: the identity of the database, and the version of the schema.
    CREATE TABLE diple.server (
      only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
      identity uuid NOT NULL DEFAULT gen_random_uuid(),
      version integer NOT NULL);
    INSERT INTO diple.server (version) VALUES (0);

    -- last: the number of the newest object. The transaction that adds an object increases it
    -- under the row's lock, so that numbers have no gaps and become visible in order.
    CREATE TABLE diple.vaults (
      vault bytea PRIMARY KEY CHECK (octet_length(vault) = 16),
      owner name NOT NULL,
      last bigint NOT NULL DEFAULT 0) WITH (fillfactor = 50);
    CREATE TABLE diple.members (
      vault bytea NOT NULL REFERENCES diple.vaults ON DELETE CASCADE,
      member name NOT NULL,
      PRIMARY KEY (member, vault));
    CREATE INDEX ON diple.members (vault);
    CREATE TABLE diple.objects (
      vault bytea NOT NULL REFERENCES diple.vaults ON DELETE CASCADE,
      replica text COLLATE "C" NOT NULL CHECK (replica ~ '^[0-9a-f]{16}$'),
      file text COLLATE "C" NOT NULL CHECK (file ~ '^[a-z0-9][a-z0-9.-]{0,99}$'),
      seq bigint NOT NULL,
      author name NOT NULL,
      content bytea NOT NULL CHECK (octet_length(content) <= 16777216),
      PRIMARY KEY (vault, replica, file));
    CREATE UNIQUE INDEX ON diple.objects (vault, seq);
    -- Objects are compressed and encrypted already, so PostgreSQL need not compress them.
    ALTER TABLE diple.objects ALTER COLUMN content SET STORAGE EXTERNAL;
    -- The time at which the members of a vault were last notified of a change.
    CREATE UNLOGGED TABLE diple.announcements (
      vault bytea PRIMARY KEY, at timestamptz NOT NULL);

    ALTER TABLE diple.server ENABLE ROW LEVEL SECURITY;
    ALTER TABLE diple.vaults ENABLE ROW LEVEL SECURITY;
    ALTER TABLE diple.members ENABLE ROW LEVEL SECURITY;
    ALTER TABLE diple.objects ENABLE ROW LEVEL SECURITY;
    ALTER TABLE diple.announcements ENABLE ROW LEVEL SECURITY;
    CREATE POLICY everybody ON diple.server FOR SELECT TO diple_member USING (true);
    CREATE POLICY own ON diple.members FOR SELECT TO diple_member USING (member = session_user);
    CREATE POLICY member ON diple.vaults FOR SELECT TO diple_member USING (EXISTS (
      SELECT FROM diple.members m WHERE m.vault = vaults.vault AND m.member = session_user));
    CREATE POLICY member ON diple.objects FOR SELECT TO diple_member USING (EXISTS (
      SELECT FROM diple.members m WHERE m.vault = objects.vault AND m.member = session_user));
    GRANT USAGE ON SCHEMA diple TO diple_member;
    GRANT SELECT ON diple.server, diple.vaults, diple.members, diple.objects TO diple_member;

    CREATE FUNCTION diple.require_member(the_vault bytea) RETURNS void
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    BEGIN
      IF NOT EXISTS (SELECT FROM diple.members WHERE vault = the_vault AND member = session_user) THEN
        RAISE insufficient_privilege USING
          MESSAGE = 'the owner of the vault has not admitted ' || session_user;
      END IF;
    END $$;

    -- Stores the objects that the vault lacks. Returns the number of its newest object.
    CREATE FUNCTION diple.push(the_vault bytea, replicas text[], files text[], contents bytea[])
    RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    DECLARE
      base bigint;
      added bigint;
    BEGIN
      SELECT last INTO base FROM diple.vaults WHERE vault = the_vault FOR UPDATE;
      IF NOT FOUND THEN
        INSERT INTO diple.vaults (vault, owner) VALUES (the_vault, session_user)
          ON CONFLICT DO NOTHING;
        IF FOUND THEN
          INSERT INTO diple.members (vault, member) VALUES (the_vault, session_user);
          PERFORM pg_notify('diple_' || md5(session_user), '');
        END IF;
        SELECT last INTO base FROM diple.vaults WHERE vault = the_vault FOR UPDATE;
      END IF;
      PERFORM diple.require_member(the_vault);
      IF EXISTS (
        SELECT FROM (SELECT DISTINCT unnest(replicas) AS replica) given
          CROSS JOIN LATERAL (
            SELECT author FROM diple.objects o
              WHERE o.vault = the_vault AND o.replica = given.replica LIMIT 1) first
          WHERE first.author <> session_user)
      THEN
        RAISE insufficient_privilege USING MESSAGE = 'the replica belongs to another member';
      END IF;
      INSERT INTO diple.objects (vault, replica, file, seq, author, content)
        SELECT the_vault, replica, file, base + row_number() OVER (ORDER BY place), session_user, content
        FROM (
          SELECT DISTINCT ON (replica, file) *
          FROM unnest(replicas, files, contents) WITH ORDINALITY
            AS given (replica, file, content, place)
          ORDER BY replica, file, place) given
        WHERE NOT EXISTS (
          SELECT FROM diple.objects o WHERE o.vault = the_vault
            AND o.replica = given.replica COLLATE "C" AND o.file = given.file COLLATE "C");
      GET DIAGNOSTICS added = ROW_COUNT;
      IF added > 0 THEN
        UPDATE diple.vaults SET last = base + added WHERE vault = the_vault;
      END IF;
      RETURN base + added;
    END $$;

    -- Returns the objects in this member's vaults that have greater numbers than `afters`. If a
    -- vault has not reached its number, the database was restored, so all objects are returned.
    CREATE FUNCTION diple.list(vaults bytea[], afters bigint[])
    RETURNS TABLE (vault bytea, replica text, file text, size integer, last bigint)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
      SELECT v.vault, o.replica, o.file, octet_length(o.content), v.last
      FROM diple.members m
        JOIN diple.vaults v ON v.vault = m.vault
        LEFT JOIN unnest(vaults, afters) AS given (vault, after) ON given.vault = v.vault
        LEFT JOIN diple.objects o ON o.vault = v.vault AND o.seq >
          CASE WHEN given.after IS NULL OR given.after > v.last THEN 0 ELSE given.after END
      WHERE m.member = session_user
    $$;

    -- Returns the size of an object in bytes, and its content unless the size exceeds `most`.
    CREATE FUNCTION diple.pull(
      the_vault bytea, the_replica text, the_file text, most bigint,
      OUT size integer, OUT content bytea)
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    BEGIN
      IF EXISTS (SELECT FROM diple.members m WHERE m.vault = the_vault AND m.member = session_user) THEN
        SELECT octet_length(o.content),
            CASE WHEN octet_length(o.content) <= most THEN o.content END
          INTO size, content
          FROM diple.objects o
          WHERE o.vault = the_vault AND o.replica = the_replica AND o.file = the_file;
      END IF;
    END $$;

    -- Deletes objects of this member, or of any member if this one is the owner of the vault.
    -- Returns the number of deleted objects.
    CREATE FUNCTION diple.remove(the_vault bytea, replicas text[], files text[]) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    DECLARE
      removed bigint;
    BEGIN
      IF NOT EXISTS (SELECT FROM diple.vaults WHERE vault = the_vault) THEN RETURN 0; END IF;
      PERFORM diple.require_member(the_vault);
      IF EXISTS (
        SELECT FROM diple.objects o
          JOIN unnest(replicas, files) AS given (replica, file)
            ON o.replica = given.replica COLLATE "C" AND o.file = given.file COLLATE "C"
          WHERE o.vault = the_vault AND o.author <> session_user
            AND NOT EXISTS (
              SELECT FROM diple.vaults v WHERE v.vault = the_vault AND v.owner = session_user))
      THEN
        RAISE insufficient_privilege USING MESSAGE = 'the replica belongs to another member';
      END IF;
      DELETE FROM diple.objects o USING unnest(replicas, files) AS given (replica, file)
        WHERE o.vault = the_vault
          AND o.replica = given.replica COLLATE "C" AND o.file = given.file COLLATE "C";
      GET DIAGNOSTICS removed = ROW_COUNT;
      RETURN removed;
    END $$;

    -- Notifies waiting members that a vault has changed, at most once a second for each vault.
    -- Returns whether they were notified. This is not done by `push`, because a transaction that
    -- notifies makes all others wait.
    CREATE FUNCTION diple.announce(the_vault bytea) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    SET synchronous_commit = off AS $$
    BEGIN
      PERFORM diple.require_member(the_vault);
      IF EXISTS (SELECT FROM diple.announcements
          WHERE vault = the_vault AND at > clock_timestamp() - interval '1 second') THEN
        RETURN false;
      END IF;
      INSERT INTO diple.announcements AS a VALUES (the_vault, clock_timestamp())
        ON CONFLICT (vault) DO UPDATE SET at = excluded.at
          WHERE a.at <= clock_timestamp() - interval '1 second';
      IF NOT FOUND THEN RETURN false; END IF;
      PERFORM pg_notify('diple_' || encode(the_vault, 'hex'), '');
      RETURN true;
    END $$;

    -- Admits a role to a vault. Only the owner of the vault may admit and remove roles.
    CREATE FUNCTION diple.grant_vault(the_vault bytea, role name) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    BEGIN
      IF NOT EXISTS (SELECT FROM diple.vaults WHERE vault = the_vault AND owner = session_user) THEN
        RAISE insufficient_privilege USING MESSAGE = 'only the owner of a vault can admit others';
      END IF;
      IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = role) THEN
        RAISE undefined_object USING MESSAGE = 'there is no role ' || quote_ident(role);
      END IF;
      INSERT INTO diple.members (vault, member) VALUES (the_vault, role) ON CONFLICT DO NOTHING;
      PERFORM pg_notify('diple_' || md5(role), '');
    END $$;
    CREATE FUNCTION diple.revoke_vault(the_vault bytea, role name) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    BEGIN
      IF NOT EXISTS (SELECT FROM diple.vaults WHERE vault = the_vault AND owner = session_user)
        OR role = session_user
      THEN
        RAISE insufficient_privilege USING MESSAGE = 'only the owner of a vault can remove others';
      END IF;
      DELETE FROM diple.members WHERE vault = the_vault AND member = role;
    END $$;

    REVOKE ALL ON ALL FUNCTIONS IN SCHEMA diple FROM PUBLIC;
    GRANT EXECUTE ON FUNCTION diple.push, diple.list, diple.pull, diple.remove, diple.announce,
      diple.grant_vault, diple.revoke_vault TO diple_member;
    """#

  private static let version2 = #"""
    -- Returns the first and the last bytes of an object, at most `most` each. The content is
    -- not compressed, so that the server reads only these parts of it.
    CREATE FUNCTION diple.ends(
      the_vault bytea, the_replica text, the_file text, most bigint,
      OUT first bytea, OUT last bytea)
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    DECLARE
      count integer := greatest(0, least(most, 1048576));
    BEGIN
      IF EXISTS (SELECT FROM diple.members m WHERE m.vault = the_vault AND m.member = session_user) THEN
        SELECT substring(o.content FROM 1 FOR count),
            substring(o.content FROM greatest(1, octet_length(o.content) - count + 1) FOR count)
          INTO first, last
          FROM diple.objects o
          WHERE o.vault = the_vault AND o.replica = the_replica AND o.file = the_file;
      END IF;
    END $$;
    REVOKE ALL ON FUNCTION diple.ends FROM PUBLIC;
    GRANT EXECUTE ON FUNCTION diple.ends TO diple_member;
    """#
}
